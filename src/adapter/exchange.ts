import type { Dispatcher } from 'undici'
import type { Timer } from '../core/clock.ts'
import { AudienceError } from '../core/errors.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import type { Agent } from './agent.ts'
import type { CallOptions } from './api-client.ts'
import { decodeBody, TOO_LARGE } from './decode-body.ts'
import { explainTransport, isProxyLogin } from './explain-transport.ts'
import { ANSWER_TOO_LARGE } from './guarded-connection.ts'
import { Silence } from './silence.ts'
import type { Transport } from './transport.ts'

export interface WireRequest {
  readonly method: Dispatcher.HttpMethod
  readonly origin: string
  /** Path and query. */
  readonly target: string
  /** Names and values alternate. */
  readonly headers: string[]
  readonly body: Dispatcher.DispatchOptions['body']
  /** The size of the body, if the body is a stream. */
  readonly bodyBytes?: number
}

export interface WireResponse {
  readonly status: number
  readonly headers: WireHeaders
  readonly text: string
  /** Set if the text is not the whole body: it was cut off, is too large, or cannot be decoded. */
  readonly flaw?: string | undefined
  /** Set if our own proxy answered instead of the service: what is known about that answer. */
  readonly byProxy?: string | undefined
}

export type WireHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * A request without an answer. Only the parts of the original error that are safe to show are kept, because errors from
 * undici can contain raw bytes of the connection.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly code: string
  /** Whether the request got a connection. */
  readonly begun: boolean
  /** Whether the complete request may have reached the service. A request that was cut off has no effect. */
  readonly sent: boolean
  /** Set if it failed because the caller's signal aborted. */
  readonly aborted: boolean
  /** What to do next, if that is known. */
  readonly hint: string | undefined

  constructor(
    message: string,
    details: { code: string; begun: boolean; sent: boolean; aborted: boolean; hint?: string | undefined },
  ) {
    super(message)
    this.hint = details.hint
    this.code = details.code
    this.begun = details.begun
    this.sent = details.sent
    this.aborted = details.aborted
  }
}

/** An answer as it was received. */
type RawResponse = Omit<WireResponse, 'text'> & { readonly bytes: Buffer }

/**
 * Sends one request and returns its whole answer, of any status, decoded (decision 142). `maxResponseBytes` limits the
 * size of the answer before and after decoding, and `answerTimeoutMs` limits the time. Rejects with TransportError if
 * there is no answer, or with the AudienceError that the body's stream threw.
 *
 * Uses a handler rather than `undici.request`, because only a handler learns whether the whole request was put on the
 * wire. This decides whether a write may be repeated.
 */
export async function exchange(agent: Agent, request: WireRequest, options: ExchangeOptions): Promise<WireResponse> {
  const { bytes, ...answer } = await dispatched(agent, request, options)
  const body = await decodeBody(bytes, answer.headers['content-encoding'], options.maxResponseBytes)
  return { ...answer, text: body.text, flaw: answer.flaw ?? body.flaw }
}

type ExchangeOptions = Pick<Transport, 'maxResponseBytes' | 'answerTimeoutMs'> &
  Pick<CallOptions, 'signal' | 'beforeSend'>

function dispatched(agent: Agent, request: WireRequest, options: ExchangeOptions): Promise<RawResponse> {
  const { beforeSend, ...rest } = options
  const asked = beforeSend?.()
  if (asked) return asked.then((holds) => dispatch(agent, request, { ...rest, mayStart: holds }))
  // A check that answers synchronously is called again when the connection is ready.
  const mayStart = () => {
    void beforeSend?.()
    return true
  }
  return dispatch(agent, request, { ...rest, mayStart })
}

interface DispatchOptions extends Omit<ExchangeOptions, 'beforeSend'> {
  /**
   * Called when the connection is ready, right before the request goes out. Throws or returns false if the request must
   * not be sent now.
   */
  mayStart: () => boolean
}

function dispatch(agent: Agent, request: WireRequest, { signal, ...limits }: DispatchOptions): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { method, origin, target: path, headers, body, bodyBytes } = request
    const handler = new Exchange(resolve, reject, {
      ...limits,
      bodyBytes,
      timer: agent.timer,
      silence: agent.silence,
      route: { origin, via: agent.via },
    })
    if (signal && !handler.obey(signal)) return
    agent.dispatch({ method, origin, path, headers, body: body ?? null }, handler)
  })
}

interface Route {
  readonly origin: string
  /** The proxy between this process and the origin. */
  readonly via: string | undefined
}

interface Terms extends Omit<DispatchOptions, 'signal'> {
  readonly bodyBytes: number | undefined
  readonly timer: Agent['timer']
  readonly silence: Agent['silence']
  readonly route: Route
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: RawResponse) => void
  readonly #reject: (error: unknown) => void
  readonly #terms: Terms
  readonly #deadline: Timer
  readonly #silence: Silence | undefined
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: WireHeaders = {}
  #byProxy: string | undefined
  #chunks: Buffer[] = []
  #bytes = 0
  #bodyBytesSent = 0
  #sent = false
  #settled = false
  #stopObeying: (() => void) | undefined

  constructor(resolve: (response: RawResponse) => void, reject: (error: unknown) => void, terms: Terms) {
    this.#resolve = resolve
    this.#reject = reject
    this.#terms = terms
    this.#deadline = terms.timer(terms.answerTimeoutMs, () => this.#tooLate())
    this.#silence = terms.silence && new Silence(terms.silence, terms.timer, (error) => this.#controller?.abort(error))
  }

  /** Ends the exchange when the signal aborts. Returns false if the signal has already aborted. */
  obey(signal: AbortSignal): boolean {
    const abort = () => {
      this.#fail(this.#transportError('the call was aborted', 'ABORTED', true))
      this.#controller?.abort(new Error('aborted'))
    }
    if (signal.aborted) {
      abort()
      return false
    }
    signal.addEventListener('abort', abort, { once: true })
    this.#stopObeying = () => signal.removeEventListener('abort', abort)
    return true
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A request must not be sent a second time.
    const isAgain = this.#controller !== undefined
    if (!this.#settled && !isAgain) this.#askWhetherToStart()
    if (this.#settled || isAgain) controller.abort(new Error('not wanted any more'))
    else {
      this.#controller = controller
      this.#deadline.refresh()
    }
  }

  /** Called for each part of a stream. The connection takes the next part only after it has sent most of this one. */
  onBodySent(chunk: Uint8Array): void {
    this.#deadline.refresh()
    this.#bodyBytesSent += chunk.length
    // This process may notice the end of the stream later than the service notices the end of the body.
    if (this.#bodyBytesSent === this.#terms.bodyBytes) this.#sent = true
  }

  onRequestSent(): void {
    this.#deadline.refresh()
    this.#silence?.begin()
    this.#sent = true
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    if (status < 200) return
    this.#silence?.heard()
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#silence?.heard()
    this.#bytes += chunk.length
    if (this.#settled) controller.abort(new Error('not wanted any more'))
    else if (this.#bytes > this.#terms.maxResponseBytes) controller.abort(new Error('larger than the limit'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#answer(undefined)
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error & { code?: unknown }): void {
    // If a proxy answers a plain HTTP request with 407, undici reports an error. The proxy may still have passed the
    // request on (decision 151).
    if (this.#controller && isProxyLogin(error.message)) {
      this.#status = 407
      this.#byProxy = this.#explained(error).message
    }
    const isTooLarge = this.#bytes > this.#terms.maxResponseBytes || error.code === ANSWER_TOO_LARGE
    if (this.#status !== 0) this.#answer(isTooLarge ? TOO_LARGE : 'it broke off')
    else if (error instanceof AudienceError) this.#fail(error)
    else this.#fail(this.#explained(error))
  }

  /**
   * Ends the exchange at the deadline: with an incomplete answer if its status has arrived, otherwise with a failure.
   */
  #tooLate(): void {
    const limit = formatDuration(this.#terms.answerTimeoutMs)
    if (this.#status !== 0) this.#answer(`it was not complete after ${limit}`)
    else this.#fail(this.#transportError(`no answer was complete after ${limit}`, 'ANSWER_TIMEOUT', false))
    this.#controller?.abort(new Error('the answer took too long'))
  }

  #explained(error: Error & { code?: unknown; data?: unknown }): TransportError {
    const { route } = this.#terms
    const { via } = route
    const code = typeof error.code === 'string' ? error.code : error.name
    const message = error.message || code
    const data = typeof error.data === 'string' ? error.data : ''
    const explained = explainTransport({ message, code, data }, route)
    const begun = this.#controller !== undefined
    const through = begun || via === undefined || explained?.isByProxy ? '' : `, through ${via}`
    const details = { code, begun, sent: this.#sent, aborted: false, hint: explained?.hint }
    return new TransportError(`${explained?.message ?? message}${through}`, details)
  }

  #askWhetherToStart(): void {
    try {
      if (this.#terms.mayStart()) return
      // Nothing was sent, and the next attempt calls the check (`beforeSend`) again.
      this.#fail(this.#transportError('connecting took too long', 'NOT_STARTED', false))
    } catch (error) {
      this.#fail(error)
    }
  }

  #answer(flaw: string | undefined): void {
    if (this.#settle()) return
    const [first = Buffer.alloc(0), ...more] = this.#chunks
    // If the answer is not used, its beginning is enough to describe it.
    const bytes = more.length === 0 || flaw !== undefined ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, bytes, flaw, byProxy: this.#byProxy })
  }

  #fail(error: unknown): void {
    if (!this.#settle()) this.#reject(error)
  }

  /** Settles the exchange. Returns whether it was already settled. */
  #settle(): boolean {
    if (this.#settled) return true
    this.#settled = true
    this.#deadline.cancel()
    this.#silence?.end()
    this.#stopObeying?.()
    return false
  }

  #transportError(message: string, code: string, aborted: boolean): TransportError {
    return new TransportError(message, { code, begun: this.#controller !== undefined, sent: this.#sent, aborted })
  }
}
