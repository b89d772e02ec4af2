import { spawn } from 'node:child_process'
import type { SteadyClock } from '../../core/clock.ts'

/** How a call of git ended. */
export interface GitEnd {
  /** The exit code; null if git was killed. */
  readonly code: number | null
  /** The beginning of its error output, in English. It contains text from the server. */
  readonly said: string
  /** Why we killed it. */
  readonly cut: 'late' | 'tooMuch' | undefined
}

export interface GitCall {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<SteadyClock, 'timer'>
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Its input. If absent, git gets no input. */
  readonly input?: string
  /** Receives the output in pieces. If it returns true, no more output is wanted, and git is killed. */
  readonly onOutput?: (piece: Buffer) => boolean
}

const MOST_SAID = 8_000

/**
 * Runs git in its own process group. The whole group is killed when the time is up or the signal aborts, because git
 * starts other programs, such as ssh, that may wait forever. Rejects if git cannot be started, or with the signal's
 * reason.
 */
export function runGit({ args, env, clock, signal, timeoutMs, input, onOutput }: GitCall): Promise<GitEnd> {
  signal.throwIfAborted()
  return new Promise((tell, reject) => {
    const child = spawn('git', ['--no-pager', '--literal-pathspecs', ...args], {
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let said = ''
    let cut: GitEnd['cut']
    const kill = () => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Git has already ended on its own.
      }
    }
    const timer = clock.timer(timeoutMs, () => {
      cut = 'late'
      kill()
    })
    signal.addEventListener('abort', kill)
    child.stderr.on('data', (piece: Buffer) => {
      if (said.length < MOST_SAID) said += piece.toString('utf8')
    })
    child.stdout.on('data', (piece: Buffer) => {
      if (cut || !onOutput?.(piece)) return
      cut = 'tooMuch'
      kill()
    })
    // Git may end before it has read everything; its exit code says so.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
    const end = () => {
      timer.cancel()
      signal.removeEventListener('abort', kill)
    }
    child.on('error', (error) => {
      end()
      reject(error)
    })
    child.on('close', (code) => {
      end()
      if (signal.aborted) reject(signal.reason)
      else tell({ code, said: said.slice(0, MOST_SAID), cut })
    })
  })
}
