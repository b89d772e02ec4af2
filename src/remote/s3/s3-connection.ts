import type { Command, S3Client } from '@aws-sdk/client-s3'
import { type SteadyClock, within } from '../../core/clock.ts'
import { remoteError } from '../../core/remote-error.ts'
import type { S3Config } from '../../core/remote-source.ts'
import { type Environment, loadS3Sdk, openS3Client, type S3Sdk } from './s3-client.ts'
import { refusalOf, type S3Refusal, s3Failure } from './s3-failure.ts'

/** How long one call may take, including all retries. */
const ANSWER_MS = 90_000

interface Opened {
  readonly sdk: S3Sdk
  readonly client: S3Client
}

export interface S3CallOptions {
  signal: AbortSignal
  /** The beginning of a message for people. */
  what: string
  act?: 'read' | 'write'
  ms?: number
}

/** The SDK and its client, made on the first call. Calls fail as `RemoteSource` describes. */
export class S3Connection {
  readonly config: S3Config
  readonly clock: SteadyClock
  readonly #env: Environment
  readonly #closing = new AbortController()
  #opened: Promise<Opened> | undefined

  constructor(config: S3Config, { clock, env }: { clock: SteadyClock; env: Environment }) {
    this.config = config
    this.clock = clock
    this.#env = env
  }

  /**
   * Sends the command that `make` makes. If the store has no such object, or has another version of it, the result says
   * so.
   */
  async send<Answer>(
    make: (sdk: S3Sdk, bucket: string) => Command<Answer>,
    { signal, what, act = 'read', ms = ANSWER_MS }: S3CallOptions,
  ): Promise<Answer | S3Refusal> {
    return this.guard(signal, { what, act }, async (limited) => {
      const { sdk, client } = await this.#open()
      const call = (abortSignal: AbortSignal) => client.send(make(sdk, this.config.bucket), { abortSignal })
      try {
        return await within(ms, call, { clock: this.clock, signal: limited })
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === undefined) throw error
        return refusal
      }
    })
  }

  /**
   * Does some work until the signal aborts or the source is closed. Throws the reason for that, or an error for people.
   */
  async guard<T>(
    signal: AbortSignal,
    { what, act = 'read' }: Pick<S3CallOptions, 'what' | 'act'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const limited = this.limit(signal)
    try {
      limited.throwIfAborted()
      return await work(limited)
    } catch (error) {
      throw this.failure(error, { signal, what, act })
    }
  }

  /** Aborts with the signal, and when the source is closed. */
  limit(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closing.signal])
  }

  failure(error: unknown, { signal, what, act = 'read' }: S3CallOptions): unknown {
    if (signal.aborted) return signal.reason
    if (this.#closing.signal.aborted) return remoteError('source-unreachable', { message: 'the source is closed' })
    return s3Failure(error, { config: this.config, what, act })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const opened = await this.#opened?.catch(() => undefined)
    opened?.client.destroy()
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#load()
    const mine = this.#opened
    // After a failure, the next call tries again, because what was missing may be there by then: the package, the
    // authority's file, the variable.
    mine.catch(() => {
      if (this.#opened === mine) this.#opened = undefined
    })
    return mine
  }

  async #load(): Promise<Opened> {
    const sdk = await loadS3Sdk()
    return { sdk, client: await openS3Client(sdk, this.config, this.#env) }
  }
}
