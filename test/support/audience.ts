import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { codeOf } from '../../src/core/code-of.ts'
import { requireFreshBuild } from './fresh-build.ts'
import { givePeople } from './people.ts'

export const root = resolve(import.meta.dirname, '../..')
const main = resolve(root, 'dist/main.js')

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly nodeArgs?: readonly string[]
  /** Whether the test and the process can exchange messages. */
  readonly ipc?: true
  /** A file descriptor that its output goes to, instead of to `Ended.out`. */
  readonly stdout?: number
  /** A file descriptor that its standard error goes to, instead of to `Ended.err`. */
  readonly stderr?: number
  /** The user that it runs as; only root may choose. */
  readonly uid?: number
  /** Whether its files cannot grow, as on a full disk. */
  readonly isDiskFull?: true
}

/** A process of the command, and its standard output and standard error so far. */
export type Audience = ChildProcess & { readonly ended: Promise<Ended>; written(): string; writtenErr(): string }

/** Starts the built command as a process, without the AUDIENCE_ variables of this one. */
export function spawnAudience(args: readonly string[], options: Options = {}): Audience {
  requireFreshBuild()
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^AUDIENCE_|^(NO|FORCE)_COLOR$/.test(name)),
  )
  const { uid, isDiskFull } = options
  const command = [process.execPath, ...(options.nodeArgs ?? []), main, ...args]
  const [program = '', ...rest] = isDiskFull ? ['sh', '-c', 'ulimit -f 0; exec "$0" "$@"', ...command] : command
  const child = spawn(program, rest, {
    ...(uid !== undefined && { uid, gid: uid }),
    cwd: options.cwd ?? root,
    env: { ...env, ...options.env },
    stdio: ['ignore', options.stdout ?? 'pipe', options.stderr ?? 'pipe', ...(options.ipc ? (['ipc'] as const) : [])],
  })
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const ended = once(child, 'close').then(([code]) => {
    expectNoSecrets(out + err, options.env ?? {})
    return { code, out, err } as Ended
  })
  return Object.assign(child, { ended, written: () => out, writtenErr: () => err })
}

/** In every test: no token may be in what the command prints or records. */
export function expectNoSecrets(
  printed: string,
  { AUDIENCE_TOKEN, AUDIENCE_STATE }: Readonly<Record<string, string>>,
): void {
  const endpoint = AUDIENCE_STATE && join(AUDIENCE_STATE, 'service/endpoint.json')
  const embedded =
    endpoint && existsSync(endpoint) ? (JSON.parse(readFileSync(endpoint, 'utf8')) as ReadyService) : undefined
  const records = ['runs.db', 'runs.db-wal'].map((name) => (AUDIENCE_STATE ? textOf(join(AUDIENCE_STATE, name)) : ''))
  // `service start` may print a token: it says how to reach the service.
  const shown = /service\.ready|export AUDIENCE_TOKEN/.test(printed) ? '' : printed
  for (const secret of [AUDIENCE_TOKEN, embedded?.token, embedded?.control.token]) {
    if (secret && [shown, ...records].some((text) => text.includes(secret)))
      throw new Error(`a token was printed or recorded`)
  }
}

/**
 * The text of a file; empty if it does not exist, for example because the last process that used the state has just
 * ended.
 */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    // Or there is a file where the folder should be.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return ''
    throw error
  }
}

/** The same, but it ends with the test at the latest. */
export function startAudience(args: readonly string[], options: Options = {}): Audience {
  const child = spawnAudience(args, options)
  onTestFinished(() => endAudience(child))
  return child
}

async function endAudience(child: Audience): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  await child.ended
}

/** Runs the built command to its end. */
export function audience(args: readonly string[], options: Options = {}): Promise<Ended> {
  return startAudience(args, options).ended
}

/** The events in `--json` output. */
export function eventsOf(out: string): Record<string, unknown>[] {
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Resolves with the standard output of the process as soon as it matches. The process may write more after that. */
export function untilOutput(child: Audience, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = child.written()
    const look = () => {
      if (pattern.test(text)) resolve(text)
    }
    child.stdout?.on('data', (chunk: string) => {
      text += chunk
      look()
    })
    look()
    child.once('close', () =>
      reject(new Error(`the process ended without writing ${pattern}: ${text}${child.writtenErr()}`)),
    )
  })
}

export interface ReadyService {
  readonly url: string
  readonly participantId: number
  readonly token: string
  readonly control: { readonly url: string; readonly token: string }
}

/** The service as a separate process. */
export async function spawnService(
  state: string,
  port = 0,
): Promise<{ readonly service: ReadyService; readonly process: Audience; stop(): Promise<void> }> {
  await givePeople(state)
  const process = spawnAudience(['service', 'start', '--port', String(port), '--json'], {
    env: { AUDIENCE_STATE: state },
  })
  const line = await untilOutput(process, /\n/)
  return { service: JSON.parse(line) as ReadyService, process, stop: () => endAudience(process) }
}
