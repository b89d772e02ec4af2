/** The world around a command, as an argument. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls back at SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onInterrupt(listener: () => void): () => void
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function processTerminal(): Terminal {
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
  }
}
