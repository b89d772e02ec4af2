import { EXIT_CODES } from '../core/errors.ts'

/** The environment of a command, as an argument. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls back at SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onInterrupt(listener: (signal?: NodeJS.Signals) => void): () => void
  /**
   * What happens when output cannot be written. Without this call, a command whose reader has gone, as with `| head`, does
   * its work and ends with its own exit code; a command whose output goes to a full disk ends with 1. `end`: the command
   * ends with 0 as soon as its reader has gone, because its output has no end. `goOn`: a full disk does not end the
   * command either.
   */
  whenUnread(does: 'end' | 'goOn'): void
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function processTerminal(): Terminal {
  let unread: 'end' | 'goOn' | undefined
  // A terminal that does not say its size, as some programs give to those that they start, has the usual one.
  if (process.stdout.isTTY) {
    process.stdout.columns ||= 80
    process.stdout.rows ||= 24
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The second is what a terminal says that was closed.
    if (error.code === 'EPIPE' || (error.code === 'EIO' && process.stdout.isTTY)) {
      if (unread === 'end') process.exit(0)
    } else if (unread !== 'goOn') {
      process.stderr.write(`the output cannot be written: ${error.message}\n`)
      // Ending at once is safe: a run stays as recorded.
      process.exit(EXIT_CODES.failed)
    }
  })
  process.stderr.on('error', () => undefined)
  return {
    out: process.stdout,
    err: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt(listener) {
      for (const signal of INTERRUPTS) process.on(signal, listener)
      return () => {
        for (const signal of INTERRUPTS) process.off(signal, listener)
      }
    },
    whenUnread(does) {
      unread = does
    },
  }
}
