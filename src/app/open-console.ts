import { fileURLToPath } from 'node:url'
import type { Settings } from '../config/settings.ts'
import type { ConsoleDeps } from '../console/server/console-deps.ts'
import type { Console } from '../console/server/start-console.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { PipelinesFolder } from '../daemon/documents/pipelines-folder.ts'
import { pipelineReader, readPipeline } from '../daemon/documents/read-pipeline.ts'
import { type Condition, notReady } from '../daemon/health/readiness.ts'
import { allowedEnv } from '../policy/allowed-env.ts'
import { stepTypes } from '../steps/index.ts'
import type { ClientDeps } from './open-client.ts'
import { remoteSources } from './open-remote-source.ts'

/**
 * Opens the console of a daemon. Its code is loaded only from here, so a daemon without a console loads none of it. A
 * console that nobody has opened yet is only a listener.
 */
export async function openConsole(
  deps: ClientDeps & {
    /** The parts of the runner that the console needs. */
    app: Pick<
      ConsoleDeps,
      | 'engine'
      | 'state'
      | 'view'
      | 'here'
      | 'sharing'
      | 'gitVersionOf'
      | 'uploadersOf'
      | 'protect'
      | 'forecast'
      | 'lastSuccess'
      | 'redact'
    >
    folder: PipelinesFolder
    checks: Readonly<Record<string, Condition>>
    version: string
  },
): Promise<Console> {
  const { app, settings, env, folder, checks } = deps
  const { startConsole } = await import('../console/server/start-console.ts')
  const sources = remoteSources(settings.sources, { clock: deps.surroundings.clock, env })
  const consoleDeps: Omit<ConsoleDeps, 'control'> = {
    ...deps,
    ...app,
    env: allowedEnv(env, settings.policy),
    ...deps.surroundings,
    documents: folder.documents,
    openSource: sources.open,
    problems: folder.problems,
    notReady: () => notReady(checks),
    readDocument: pipelineReader(settings),
    readPipeline,
    stepTypes,
    // The folder is beside both src/ and dist/.
    bundle: fileURLToPath(new URL('../../dist/console/', import.meta.url)),
  }
  const { url, close } = await startConsole({
    ...deps,
    clock: deps.surroundings.clock,
    tokenEnv: env,
    async load(tokens) {
      const { consoleRequests } = await import('../console/server/console-requests.ts')
      const { apiHandlers } = await import('../console/server/handlers/index.ts')
      return consoleRequests(
        { ...consoleDeps, control: await controlOf(settings.service, deps.surroundings.clock) },
        { tokens, handlers: apiHandlers },
      )
    },
  })
  return { url, close: () => close().finally(() => sources.close()) }
}

async function controlOf(service: Settings['service'], clock: SteadyClock): Promise<ConsoleDeps['control']> {
  if (service.kind !== 'embedded') return undefined
  const { controlClient } = await import('../service/local/control-client.ts')
  return controlClient(service.folder, clock)
}
