import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Audience, type Ended, type Options, type ReadyService, spawnAudience, untilOutput } from './audience.ts'

/** A new project: a folder with audience.yaml, `pipelines` and `state`. */
export interface Project {
  readonly folder: string
  /** The options for commands that are started in the project. */
  readonly options: Options & {
    readonly cwd: string
    readonly env: Readonly<Record<string, string>> & { readonly AUDIENCE_STATE: string }
  }
}

export function projectIn(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  state = join(folder, 'state'),
): Project {
  return { folder, options: { cwd: folder, env: { ...env, AUDIENCE_STATE: state } } }
}

export interface ReadyDaemon {
  readonly url: string
  readonly pid: number
  readonly state: string
  readonly pipelines: number
}

/** `audience start`. The caller ends it. */
export function spawnDaemon(options: Options): Audience {
  return spawnAudience(['start', '--port', '0', '--no-console', '--json'], options)
}

/** Resolves with its output when it is ready; rejects if it ends before. */
export async function untilReady(daemon: Audience): Promise<ReadyDaemon> {
  try {
    return JSON.parse((await untilOutput(daemon, /\n/)).split('\n')[0]!) as ReadyDaemon
  } catch (error) {
    const { code, err } = await daemon.ended
    throw new Error(`the daemon ended with ${code}: ${err}`, { cause: error })
  }
}

export async function kill(daemon: Audience, signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
  if (daemon.exitCode === null && daemon.signalCode === null) daemon.kill(signal)
  return daemon.ended
}

/** Rows of the state, read without the program that writes them; no rows if there is no state yet. */
export function stateRows(
  { folder }: Pick<Project, 'folder'>,
  query: string,
  ...values: SQLInputValue[]
): Record<string, string | number | null>[] {
  const file = join(folder, 'state/runs.db')
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return db.prepare(query).all(...values) as Record<string, string | number | null>[]
  } finally {
    db.close()
  }
}

/** The embedded service of a project with a running daemon. */
export function embeddedService({ folder }: Project): ReadyService {
  return JSON.parse(readFileSync(join(folder, 'state/service/endpoint.json'), 'utf8')) as ReadyService
}

/** Resolves as soon as `look` returns true; rejects with the text of `describe` if that takes too long. */
export async function until(
  look: () => boolean | Promise<boolean>,
  {
    withinMs = 250_000,
    everyMs = 40,
    describe = () => look.toString(),
  }: { withinMs?: number; everyMs?: number; describe?: () => string | Promise<string> } = {},
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`this has not come true within ${withinMs} ms: ${await describe()}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
