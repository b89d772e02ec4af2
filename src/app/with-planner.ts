import { serviceOf } from '../config/choose-service.ts'
import { listsFolder, membershipFolder } from '../config/settings.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { sealingOf } from '../engine/sealed-runs.ts'
import { openLists } from '../lists/open-lists.ts'
import { openMembership } from '../membership/membership.ts'
import type { ForecastStep } from '../pipeline/step-plan.ts'
import { allowedEnv } from '../policy/allowed-env.ts'
import { fileCheck, openAllowed } from '../policy/enforce.ts'
import { lastSuccess, type RecordedRun } from '../runs/recorded-run.ts'
import type { ReadableState } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { createForecast } from '../steps/index.ts'
import { type ClientDeps, openClient } from './open-client.ts'
import { remoteSources } from './open-remote-source.ts'
import { protect } from './protect.ts'
import { sealedReads } from './state-of-steps.ts'

/** The dependencies of a plan. A plan reads the service and the state, and writes to neither. */
export interface Planner {
  readonly runs: ReadableState['runs']
  /** Forecasts what steps would do now. */
  readonly forecast: ForecastStep
  /** The latest successful run of a pipeline, with its outputs. */
  lastSuccess(pipeline: string): Promise<RecordedRun | undefined>
  /** From now on, the values of the environment variables that a pipeline names are secrets. */
  protect(pipeline: Pipeline): void
}

/** Plans at one service. Rejects if the service cannot be reached or refuses access. */
export function withPlanner<T>(deps: ClientDeps, work: (planner: Planner) => Promise<T>): Promise<T> {
  const { settings, surroundings } = deps
  const { clock } = surroundings
  const here = serviceOf(settings)
  return withReadableState({ ...settings, here }, surroundings, async ({ runs, memory, made }) => {
    const client = await openClient(deps)
    const checkFile = fileCheck(settings.policy)
    const openFile = (path: string) => openAllowed(path, checkFile)
    const remote = remoteSources(settings.sources, { clock, env: deps.env })
    const lists = openLists({
      folder: listsFolder(settings),
      sources: settings.sources,
      openSource: remote.open,
      suppress: settings.privacy.suppress,
      openFile,
      limits: settings.lists,
    })
    const closing = new AbortController()
    const reading = {
      api: client.api,
      profile: settings.profileName,
      clock,
      lists,
      openFile,
      membership: openMembership({
        folder: membershipFolder(settings),
        rule: settings.privacy.membership,
        runs,
        here,
        clock,
      }),
      signal: closing.signal,
    }
    const env = allowedEnv(deps.env, settings.policy)
    const forecast: ForecastStep = (question) =>
      createForecast({ ...reading, ...sealedReads(sealingOf({ env: question.env ?? [] }, env), { memory, made }) })(
        question,
      )
    try {
      await client.reach()
      return await work({
        runs,
        forecast,
        lastSuccess: (pipeline) => lastSuccess(pipeline, runs),
        protect: (pipeline) => protect(pipeline, deps),
      })
    } finally {
      closing.abort()
      await lists.close()
      await remote.close()
      await client.close()
    }
  })
}
