import { join } from 'node:path'
import { listsFolder, membershipFolder, type Settings } from '../config/settings.ts'
import type { UploadersOf } from '../core/engine.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { Sealing } from '../core/sealing.ts'
import type { Redact } from '../core/secrets.ts'
import type { ServiceRef } from '../core/service-ref.ts'
import { childReader } from '../daemon/documents/read-pipeline.ts'
import type { Lists } from '../lists/lists.ts'
import { openLists } from '../lists/open-lists.ts'
import { openMembership } from '../membership/membership.ts'
import { createWebhookSender } from '../notifications/channels/webhook-sender.ts'
import type { GitVersionOf } from '../platform/git-version.ts'
import type { Proxies } from '../platform/proxies.ts'
import { fileCheck, openAllowed } from '../policy/enforce.ts'
import { uploadOpener } from '../policy/prepared-file.ts'
import type { Claims } from '../state/claims.ts'
import type { StepClaims, StepServices } from '../steps/define-step.ts'
import { createChildRuns } from './create-child-runs.ts'
import { remoteSources } from './open-remote-source.ts'
import { type StateOfSteps, sealedFor, stateOfSteps } from './state-of-steps.ts'
import type { Surroundings } from './surroundings.ts'
import type { OpenWork } from './work.ts'

/** The services that the steps of a process use, apart from the engine. */
export interface OpenStepServices {
  /**
   * The services for a step that works until the signal aborts. Without a signal, an outage of the database fails the
   * step. `sealing` replaces the secrets of its document in what the step stores.
   */
  during(signal?: AbortSignal, sealing?: Sealing): StepServices
  readonly lists: Lists
  /** Aborts when these services are closed. */
  readonly closing: AbortSignal
  /** Ends work that continues after its step. */
  stop(): void
  /** Call it after the engine has stopped. */
  close(): Promise<void>
}

/** Opens the services that steps use. `protecting` wraps a reader of documents (`App.protect`). */
export function openStepServices(deps: {
  settings: Settings
  /** The environment, which may contain the credentials of a bucket. */
  env: Readonly<Record<string, string | undefined>>
  surroundings: Surroundings
  here: ServiceRef
  api: StepServices['api']
  /** For web hooks. */
  proxies: Proxies
  state: StateOfSteps
  claims: Claims
  throughOutages: OpenWork['throughOutages']
  gitVersionOf: GitVersionOf
  uploadersOf: UploadersOf
  redact: Redact
  protecting: <Source>(read: (source: Source) => Pipeline) => (source: Source) => Pipeline
}): OpenStepServices {
  const { settings, surroundings, here, api, state, throughOutages, gitVersionOf, uploadersOf } = deps
  const checkFile = fileCheck(settings.policy)
  const folder = listsFolder(settings)
  const openFile = (path: string) => openAllowed(path, checkFile)
  const { sources, privacy, lists: limits } = settings
  const remote = remoteSources(sources, { clock: surroundings.clock, env: deps.env })
  const real = openLists({ folder, sources, openSource: remote.open, suppress: privacy.suppress, limits, openFile })
  const lists = surroundings.lists?.(real) ?? real
  const webhooks = createWebhookSender(settings.policy, { clock: surroundings.clock, proxies: deps.proxies })
  const closing = new AbortController()
  const ofState = (own: StateOfSteps) => ({
    membership: openMembership({
      folder: membershipFolder(settings),
      rule: settings.privacy.membership,
      runs: own.runs,
      here,
      clock: surroundings.clock,
    }),
    childRuns: createChildRuns({
      engine: own.engine,
      runs: own.runs,
      ...surroundings,
      checkFile,
      gitVersionOf,
      uploadersOf,
      readPipeline: deps.protecting(childReader(settings)),
    }),
  })
  const always = {
    api,
    profile: settings.profileName,
    clock: surroundings.clock,
    openFile,
    openUpload: uploadOpener(settings.policy, { lists: (runId) => join(folder, runId), checkFile }),
    lists,
    post: surroundings.post ?? webhooks.post,
    redact: deps.redact,
    claims: stepClaims(deps.claims, throughOutages),
  }
  const direct = { ...always, ...ofState(state) }
  return {
    during(signal, sealing) {
      if (!signal || !throughOutages) return { ...direct, ...sealedFor(sealing, state) }
      const repeating = stateOfSteps(state, {
        lasting: (task) => throughOutages(task, signal),
        untilClosed: (task) => throughOutages(task, closing.signal),
      })
      return { ...always, ...ofState(repeating), ...sealedFor(sealing, repeating) }
    },
    lists,
    closing: closing.signal,
    stop: () => closing.abort(),
    async close() {
      await lists.close()
      await remote.close()
      await webhooks.close()
    },
  }
}

/** A parked run waits without its step, so each call has its own signal. */
function stepClaims(claims: Claims, throughOutages: OpenWork['throughOutages']): StepClaims {
  const lasting = <T>(task: () => Promise<T>, signal: AbortSignal) =>
    throughOutages ? throughOutages(task, signal) : task()
  return {
    take: (thing, holder, signal) => lasting(() => claims.take(thing, holder), signal),
    release: (thing, holder, fence, signal) => lasting(() => claims.release(thing, holder, fence), signal),
  }
}
