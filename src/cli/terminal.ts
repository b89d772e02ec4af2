/** The world around a command, as an argument. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls back at SIGINT and SIGTERM until the returned function is called. */
  onInterrupt(listener: () => void): () => void
}

export function processTerminal(): Terminal {
  return {
    out: process.stdout,
    err: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt(listener) {
      process.on('SIGINT', listener)
      process.on('SIGTERM', listener)
      return () => {
        process.off('SIGINT', listener)
        process.off('SIGTERM', listener)
      }
    },
  }
}
