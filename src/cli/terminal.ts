import { type Surroundings, systemSurroundings } from '../app/surroundings.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, EXIT_CODES, interruptedError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { createSecrets, type Redact, type Secrets } from '../core/secrets.ts'

/** The environment of a command. Secrets are removed from everything that it writes to `out` and `err`. */
export interface Terminal extends OpenTerminal {
  /** The secrets of this process. */
  readonly secrets: Secrets
}

/** The same environment, but secrets are not removed from its output. */
export interface OpenTerminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly surroundings: Surroundings
  /** Calls back on SIGINT, SIGTERM and SIGHUP until the returned function is called. */
  onInterrupt(listener: (signal?: NodeJS.Signals) => void): () => void
  /**
   * Decides what happens when output cannot be written. Without this call, a command whose reader has gone away, as
   * with `| head`, does its work and ends with its own exit code; a command whose output goes to a full disk ends with
   * 1. `end`: the command ends with 0 as soon as its reader has gone, because its output has no end. `goOn`: not even a
   * full disk ends the command.
   */
  whenUnread(does: 'end' | 'goOn'): void
  /**
   * Calls back with an error that nothing caught; then the process ends. Only the terminal of a process has this
   * method.
   */
  onCrash?(listener: (error: unknown) => void): void
}

/** Each text is written with one call, so no secret is split over two calls. */
export function withoutSecrets(terminal: OpenTerminal): Terminal {
  const secrets = createSecrets()
  const out = redacting(terminal.out, secrets.redact)
  return {
    ...terminal,
    secrets,
    out,
    err: terminal.err === terminal.out ? out : redacting(terminal.err, secrets.redact),
  }
}

function redacting(stream: NodeJS.WriteStream, redact: Redact): NodeJS.WriteStream {
  const shown = (chunk: unknown): unknown => {
    if (typeof chunk === 'string') return redact(chunk)
    return chunk instanceof Uint8Array ? redact(Buffer.from(chunk).toString()) : chunk
  }
  const redacted =
    (method: 'write' | 'end') =>
    (chunk: unknown, ...rest: unknown[]): unknown =>
      Reflect.apply(stream[method], stream, [shown(chunk), ...rest])
  const own = { write: redacted('write'), end: redacted('end') }
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write' || key === 'end') return own[key]
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Gives a signal that aborts when the command is interrupted. After disposal, an interrupt no longer aborts the signal.
 * `reasonOf` gives the reason for the abort.
 */
export function untilInterrupt(
  { onInterrupt }: Pick<Terminal, 'onInterrupt'>,
  reasonOf: (signal?: NodeJS.Signals) => unknown = () => undefined,
): Disposable & { readonly signal: AbortSignal } {
  const interrupted = new AbortController()
  const unlisten = onInterrupt((signal) => interrupted.abort(reasonOf(signal)))
  return { signal: interrupted.signal, [Symbol.dispose]: unlisten }
}

/** Acts on the first interrupt; a second one ends the process immediately. Returns a function that stops listening. */
export function onFirstInterrupt({ onInterrupt }: Pick<Terminal, 'onInterrupt'>, act: () => void): () => void {
  let isInterrupted = false
  return onInterrupt(() => {
    if (isInterrupted) process.exit(EXIT_CODES.interrupted)
    isInterrupted = true
    act()
  })
}

/** The error of a command that ends because of an interrupt. */
export function interruption(): AudienceError {
  return interruptedError('interrupted')
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function processTerminal(): OpenTerminal {
  let unread: 'end' | 'goOn' | undefined
  // Some programs give their children a terminal without a size. In that case, the usual size applies.
  if (process.stdout.isTTY) {
    process.stdout.columns ||= 80
    process.stdout.rows ||= 24
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // EPIPE: the reader has gone away. EIO: the terminal was closed.
    if (error.code === 'EPIPE' || (error.code === 'EIO' && process.stdout.isTTY)) {
      if (unread === 'end') process.exit(0)
    } else if (unread !== 'goOn') {
      process.stderr.write(`the output cannot be written: ${error.message}\n`)
      // Ending immediately is safe, because a run stays as recorded.
      process.exit(EXIT_CODES.failed)
    }
  })
  process.stderr.on('error', () => undefined)
  return {
    out: process.stdout,
    err: process.stderr,
    env: process.env,
    cwd: workingFolder(),
    surroundings: systemSurroundings,
    onInterrupt(listener) {
      for (const signal of INTERRUPTS) process.on(signal, listener)
      return () => {
        for (const signal of INTERRUPTS) process.off(signal, listener)
      }
    },
    whenUnread(does) {
      unread = does
    },
    onCrash(listener) {
      process.on('uncaughtException', (error) => {
        listener(error)
        process.exit(EXIT_CODES.failed)
      })
    },
  }
}

/** Throws `no-working-directory`: a shell may be in a folder that was removed, or removed and created again. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    const isGone = codeOf(error) === 'ENOENT'
    throw new AudienceError({
      code: 'no-working-directory',
      kind: 'usage',
      message: isGone
        ? 'the working directory no longer exists: somebody removed it, or created it again'
        : `the working directory cannot be determined: ${messageOf(error)}`,
      hint: 'go to a folder that exists (`cd /path/of/the/project`), then run this again',
      cause: error,
    })
  }
}
