import { EXIT_CODES } from '../core/errors.ts'

/** The environment of a command, as an argument. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls back at SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onInterrupt(listener: () => void): () => void
  /**
   * From now on, output that cannot be written is dropped: the reader has exited, as with `| head`, or the disk of the
   * log is full. Without this call, a command ends when its output has no reader any more.
   */
  workUnread(): void
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function processTerminal(): Terminal {
  let needsReader = true
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!needsReader) return
    if (error.code !== 'EPIPE') process.stderr.write(`the output cannot be written: ${error.message}\n`)
    // Ending at once is safe: a run stays as recorded.
    process.exit(EXIT_CODES.failed)
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
    workUnread() {
      needsReader = false
    },
  }
}
