import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import type { ListSource } from '../core/list-source.ts'
import { LONGEST_TIMER_MS } from '../platform/clock.ts'

/** The longest time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000

type CommandTerms = Pick<Extract<ListSource, { readonly kind: 'command' }>, 'folder' | 'env' | 'timeoutMs'> & {
  readonly name: string
  readonly signal: AbortSignal
}

/**
 * Runs the command of a source to its end. Does not read its output, because it may contain data about people, and does
 * not show its arguments, because they may contain secrets. Ends its whole process group after `timeoutMs`, or if the
 * signal aborts.
 */
export async function runSourceCommand(
  [program = '', ...args]: readonly string[],
  { name, folder, env, timeoutMs, signal }: CommandTerms,
): Promise<void> {
  signal.throwIfAborted()
  const child = spawn(program, args, { cwd: folder, env: env ?? process.env, stdio: 'ignore', detached: true })
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER_MS))
  const over = AbortSignal.any([signal, timeout])
  let grace: NodeJS.Timeout | undefined
  const end = () => {
    endGroup(child.pid, 'SIGTERM')
    grace = setTimeout(() => endGroup(child.pid, 'SIGKILL'), GRACE_MS)
  }
  over.addEventListener('abort', end)
  try {
    const [code, killedBy] = await once(child, 'exit')
    signal.throwIfAborted()
    if (timeout.aborted) throw failed(name, `did not end within ${formatTimeLimit(timeoutMs)}`)
    if (code !== 0) throw failed(name, code === null ? `was ended by ${killedBy}` : `ended with code ${code}`)
  } catch (error) {
    if (codeOf(error) === undefined || error instanceof AudienceError) throw error
    throw failed(name, `cannot be started: ${codeOf(error)}`)
  } finally {
    over.removeEventListener('abort', end)
    clearTimeout(grace)
    // Processes that it started may still be writing.
    if (over.aborted) endGroup(child.pid, 'SIGKILL')
  }
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The whole group has already ended.
  }
}

function failed(name: string, what: string): AudienceError {
  return failedError(
    'source-failed',
    `the command of source ${name} ${what}`,
    'run it by hand to see why; its output is not kept, because it may contain data about people',
  )
}
