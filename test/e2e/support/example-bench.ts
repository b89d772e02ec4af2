import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pino } from 'pino'
import type { ApiClient } from '../../../src/adapter/api-client.ts'
import { createApiClient } from '../../../src/adapter/create-api-client.ts'
import { staticToken } from '../../../src/adapter/tokens.ts'
import { openApp } from '../../../src/app/app.ts'
import { systemSurroundings } from '../../../src/app/surroundings.ts'
import { consoleSettings } from '../../../src/config/console-config.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { type JsonObject, stringifyJson } from '../../../src/core/json.ts'
import { LIST_LIMITS } from '../../../src/core/list-limits.ts'
import { type HumanDecision, stepRef } from '../../../src/core/run.ts'
import type { RunEvent } from '../../../src/core/run-event.ts'
import { runIdAt } from '../../../src/core/run-id.ts'
import { createSecrets } from '../../../src/core/secrets.ts'
import { isDocumentName } from '../../../src/daemon/documents/find-pipeline-files.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { resolveInputs } from '../../../src/pipeline/resolve-inputs.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { stateAfter } from '../../../src/runs/recorded-run.ts'
import { seedOf } from '../../../src/runs/seed.ts'
import { defaultNetwork } from '../../../src/service/network/default-network.ts'
import { startService } from '../../../src/service/start-service.ts'
import { givePeopleTo } from '../../support/people.ts'

export const folder = resolve(import.meta.dirname, '../../../pipelines')
export const documents = readdirSync(folder).filter(isDocumentName)

interface ExampleRun {
  readonly runId: string
  readonly status: string
  /** As `--json` shows them. */
  readonly outputs: JsonObject
  readonly error: string | undefined
  readonly events: readonly RunEvent[]
}

type Waiting = Extract<RunEvent, { event: 'step.waiting' }>

/** The real service with its built-in network, and the real runner against it. */
export interface ExampleBench {
  /** For participant 1001, who runs these pipelines. */
  readonly api: ApiClient
  /** For another participant. */
  as(participantId: number): ApiClient
  /** A folder for files. It is the working directory of the runs. */
  readonly scratch: string
  /** Calls the control API; the answer is text. */
  control(path: string, body?: object): Promise<string>
  /**
   * Runs a document of pipelines/, or at another path. `decide` looks at the service and answers each step that waits.
   */
  run(
    name: string,
    options?: {
      readonly given?: readonly string[]
      readonly decide?: (held: Waiting) => Promise<HumanDecision>
      /** Like `audience runs retry RUN --from`, with the inputs of that run in `given`. */
      readonly retry?: { readonly runId: string; readonly from?: string }
    },
  ): Promise<ExampleRun>
  /** The people of a match, or of a part of its split, from the control API. */
  peopleOf(matchId: string, part?: 'test' | 'control'): Promise<string[]>
  close(): Promise<void>
}

/** `sources` as `audience.yaml` names them, and the environment that they may need. */
export async function openExampleBench({
  sources = {},
  env = {},
}: Partial<Pick<Settings, 'sources'> & { env: Record<string, string> }> = {}): Promise<ExampleBench> {
  const scratch = mkdtempSync(join(tmpdir(), 'audience-examples-'))
  const log = pino({ level: 'silent' })
  const dataDir = join(scratch, 'service')
  await givePeopleTo(dataDir)
  const service = await startService({ dataDir, network: defaultNetwork, clock: systemClock, log })
  const control = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${service.control.token}`, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${service.control.url}${path}`, { headers, ...sent })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.text()
  }
  const { participants } = JSON.parse(await control('/participants')) as {
    participants: { id: number; baseUrl: string; token: string }[]
  }
  const clients = new Map(
    participants.map(({ id, baseUrl, token }) => [
      id,
      createApiClient({
        baseUrl,
        token: staticToken(token),
        clock: systemClock,
        random: Math.random,
        log,
        redact: (text) => text,
      }),
    ]),
  )
  const settings: Settings = {
    profileName: 'test',
    values: { name: 'test', inputs: {}, file: undefined, known: undefined },
    profile: { baseUrl: service.url, token: service.token },
    service: { kind: 'remote', baseUrl: service.url },
    state: join(scratch, 'state'),
    shared: join(scratch, 'state'),
    pipelines: scratch,
    maxRuns: 100,
    policy: { ownEnv: [] },
    sources,
    lists: LIST_LIMITS,
    retention: { runsMs: 1, keep: 1, occurrencesMs: 1, auditMs: 1 },
    privacy: { suppress: [], membership: { kind: 'none' } },
    hosts: [],
    console: consoleSettings({}, '/'),
  }
  const app = await openApp({
    settings,
    env,
    log,
    secrets: createSecrets(),
    surroundings: systemSurroundings,
    notice: () => {},
    takes: 'own',
    readsHere: true,
    version: '0',
  })
  return {
    api: clients.get(1001)!,
    as: (participantId) => clients.get(participantId)!,
    scratch,
    control,
    async run(name, { given = [], decide, retry } = {}) {
      const file = resolve(folder, name)
      const pipeline = readNewPipeline({ text: readFileSync(file, 'utf8'), file })
      const inputs = resolveInputs(pipeline, { given, cwd: scratch, exists: existsSync, checkFile: () => {} })
      const runId = runIdAt(systemClock.now(), Math.random)
      const earlier = retry && {
        runId: retry.runId,
        state: stateAfter(retry.runId, await app.state.runs.records(retry.runId)),
      }
      const seed = earlier && seedOf(pipeline, earlier, retry.from)
      const asked = { runId, pipeline, folder: dirname(file), inputs, trigger: { kind: 'manual' } }
      await app.engine.submit({ ...asked, ...(seed && { seed }) })
      const events: RunEvent[] = []
      for await (const event of app.engine.events(runId)) {
        events.push(event)
        if (event.event === 'step.waiting') {
          if (!decide) throw new Error(`${event.step} waits: ${event.error.message}`)
          await app.state.runs.send(runId, { kind: 'decide', ref: stepRef(event), decision: await decide(event) })
        }
        if (event.event !== 'run.finished') continue
        const { status, error } = event
        const outputs = JSON.parse(stringifyJson(event.outputs)) as JsonObject
        return { runId, status, outputs, error: error?.message, events }
      }
      throw new Error(`${name} did not end`)
    },
    async peopleOf(matchId, part) {
      const csv = await control(`/matches/${matchId}/set${part ? `?part=${part}` : ''}`)
      return csv.trim().split('\n').slice(1)
    },
    async close() {
      await app.close()
      await Promise.all([...clients.values()].map((client) => client.close()))
      await service.close()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}
