import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import { compiledCodeFolder } from '../platform/compiled-code-folder.ts'

/** Why the process of a world did not finish its work. */
export interface Broken {
  readonly message: string
  readonly hint: string | undefined
}

/** What such a process reports: its findings, how its time passes, and how it ended. */
export type ProcessReport<Found> =
  | { readonly found: Found }
  | { readonly moments: number }
  | { readonly ended: true }
  | { readonly broken: Broken }

/** If nothing happens in a world for this long, it counts as stuck. */
const STILL_MS = 180_000

/** A process of a world. It loads its program immediately, and begins its work when it gets its order. */
export interface WorldProcess<Order extends object, Found> {
  /**
   * Resolves when the process has ended. If the process did not do everything, the result is the reason. Call it once.
   */
  run(order: Order, onFound: (found: Found) => void): Promise<Broken | undefined>
  /** Ends the process, if it has not ended yet. */
  end(): void
}

/**
 * Starts a program in its own process, because the time of a world moves when Node has nothing to wait for. The process
 * ends when the signal aborts.
 */
export function startWorldProcess<Order extends object, Found>(
  name: 'test-worker' | 'simulation-worker',
  signal: AbortSignal,
): WorldProcess<Order, Found> {
  const errors: string[] = []
  const child = fork(programOf(name), {
    env: environment(),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const end = () => void child.kill('SIGKILL')
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  // The process may end before it gets its order.
  const closed = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, how) => resolve(how ?? `exit code ${code}`))
  })
  return {
    end,
    async run(order, onFound) {
      let broken: Broken | undefined
      let hasEnded = false
      const stillness = setTimeout(() => {
        broken = stoodStill()
        end()
      }, STILL_MS)
      child.on('message', (report: ProcessReport<Found>) => {
        stillness.refresh()
        if ('broken' in report) broken = report.broken
        else if ('ended' in report) hasEnded = true
        else if ('found' in report) onFound(report.found)
      })
      // If the process has ended, `closed` says so.
      if (child.connected) child.send(order, () => undefined)
      const how = await closed
      clearTimeout(stillness)
      signal.removeEventListener('abort', end)
      if (!hasEnded && !signal.aborted) broken ??= endedEarly(how, errors.join('').trim())
      return broken
    },
  }
}

/**
 * Only the variables that Node needs, because a world gets its environment from its order. With one thread for files
 * and queries, these end in the order in which they began. With more threads, things at the same moment would happen in
 * a different order each time.
 */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LD_LIBRARY_PATH } = process.env
  const NODE_COMPILE_CACHE = compiledCodeFolder(process.env)
  const given = { PATH, HOME, TMPDIR, LD_LIBRARY_PATH, NODE_COMPILE_CACHE, TZ: 'UTC', UV_THREADPOOL_SIZE: '1' }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function stoodStill(): Broken {
  return {
    message: `nothing happened in the world for ${formatTimeLimit(STILL_MS)}: something in it has begun and does not end`,
    hint: 'run it again; if the same happens, it is a bug in this program',
  }
}

function endedEarly(how: string, errors: string): Broken {
  const said = errors === '' ? '' : `: ${errors.slice(-2_000)}`
  return { message: `the process that runs the world ended early (${how})${said}`, hint: undefined }
}

/** In dist/, each program is a separate file next to main.js. Its extension is the same as this file's. */
function programOf(name: string): string {
  const isBundled = !import.meta.url.endsWith('/world-process.ts')
  return fileURLToPath(new URL(isBundled ? `../${name}.js` : `./${name}.ts`, import.meta.url))
}
