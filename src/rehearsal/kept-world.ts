import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Logger } from 'pino'
import { openApp } from '../app/app.ts'
import { openConsole } from '../app/open-console.ts'
import type { Surroundings } from '../app/surroundings.ts'
import { consoleSettings } from '../config/console-config.ts'
import { loadSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { usageError } from '../core/errors.ts'
import type { Secrets } from '../core/secrets.ts'
import { watchPipelinesFolder } from '../daemon/documents/pipelines-folder.ts'
import { pipelineReader } from '../daemon/documents/read-pipeline.ts'
import { settingsIn } from './project.ts'

/** What is needed to show a kept world, but is not in its other files. */
interface Note {
  /** The address that the service had in the world. */
  readonly service: string
  readonly profile: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** The folder of the documents, relative to the project. */
  readonly pipelines: string
}

/** After a world has ended, leaves a note in its folder with what is needed to look at that world. */
export function noteWorld(folder: string, { pipeline, ...note }: Omit<Note, 'pipelines'> & { pipeline: string }) {
  const pipelines = relative(join(folder, 'project'), dirname(pipeline))
  writeFileSync(join(folder, NOTE), JSON.stringify({ ...note, pipelines } satisfies Note))
}

const NOTE = 'world.json'

/** The console of a world that has ended: it shows its runs and pipelines, and changes nothing. */
export interface WorldConsole {
  readonly url: string
  /** The settings that sign-in links are made with. */
  readonly settings: Settings
  close(): Promise<void>
}

/** Opens the console over a kept world. Nothing is run, scheduled or sent. Throws `no-world` if there is none. */
export async function openWorldConsole(
  folder: string,
  deps: {
    surroundings: Surroundings
    secrets: Secrets
    log: Logger
    version: string
  },
): Promise<WorldConsole> {
  const { service, profile, env, pipelines } = readNote(folder)
  const project = join(folder, 'project')
  const own = settingsIn({
    project: { settings: loadSettings({ env, cwd: project, flags: { profile } }) },
    state: join(folder, 'state'),
    service: { url: service, token: 'of-a-world-that-has-ended' },
  })
  const { deployment: _, ...settings } = {
    ...own,
    console: consoleSettings({ readOnly: true, port: 0 }, project),
    pipelines: join(project, pipelines),
  }
  const appDeps = { ...deps, settings, env, notice: () => undefined }
  const opened = new AsyncDisposableStack()
  try {
    const app = await openApp({ ...appDeps, maxRuns: settings.maxRuns, takes: 'own' })
    opened.defer(() => app.close())
    const documents = await watchPipelinesFolder({
      folder: settings.pipelines,
      read: pipelineReader(settings),
      onChange: () => undefined,
      clock: deps.surroundings.clock,
      log: deps.log,
    })
    opened.defer(() => documents.close())
    const { url, close } = await openConsole({ ...appDeps, app, folder: documents, checks: {} })
    opened.defer(close)
    return { url, settings, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

function readNote(folder: string): Note {
  const file = join(folder, NOTE)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Note
  const message = `${folder} is not the world of a test`
  throw usageError('no-world', message, '`audience test --keep` names the folder of each world that it keeps')
}
