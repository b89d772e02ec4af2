import type { Dispatcher } from 'undici'
import { AudienceError } from '../core/errors.ts'
import type { Agent } from './agent.ts'
import type { BeforeSend } from './api-client.ts'
import { decodeBody, TOO_LARGE } from './decode-body.ts'
import { explainTransport } from './explain-transport.ts'

export interface WireRequest {
  readonly method: Dispatcher.HttpMethod
  readonly origin: string
  /** Path and query. */
  readonly target: string
  /** Names and values alternate. */
  readonly headers: string[]
  readonly body: Dispatcher.DispatchOptions['body']
}

export interface WireResponse {
  readonly status: number
  readonly headers: WireHeaders
  readonly text: string
  /** Why the text is not the whole body, if it is not: it broke off, is too large, or cannot be decoded. */
  readonly flaw?: string | undefined
}

export type WireHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * A request without an answer. Only the parts of the original error that are safe to show are kept: errors of undici
 * can contain raw bytes of the connection.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly code: string
  /** Whether the request got a connection. */
  readonly begun: boolean
  /** Whether the complete request may have reached the service; a request that broke off takes no effect. */
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
interface RawResponse {
  readonly status: number
  readonly headers: WireHeaders
  readonly bytes: Buffer
  readonly flaw: string | undefined
}

/**
 * One request and its whole answer, of any status, decoded (decision 142); `maxResponseBytes` limits it before and
 * after decoding. Rejects with TransportError if there is no answer, or with the AudienceError that the body's stream
 * threw. It uses a handler rather than `undici.request`, because only a handler learns whether the whole request was
 * put on the wire, which decides if a write may be repeated.
 */
export async function exchange(agent: Agent, request: WireRequest, options: ExchangeOptions): Promise<WireResponse> {
  const { status, headers, bytes, flaw } = await dispatched(agent, request, options)
  const body = await decodeBody(bytes, headers['content-encoding'], options.maxResponseBytes)
  return { status, headers, text: body.text, flaw: flaw ?? body.flaw }
}

interface ExchangeOptions {
  readonly maxResponseBytes: number
  readonly signal: AbortSignal | undefined
  readonly beforeSend?: BeforeSend | undefined
}

function dispatched(agent: Agent, request: WireRequest, options: ExchangeOptions): Promise<RawResponse> {
  const { beforeSend, ...rest } = options
  const asked = beforeSend?.()
  if (asked) return asked.then((holds) => dispatch(agent, request, { ...rest, mayStart: holds }))
  return dispatch(agent, request, { ...rest, mayStart: () => askAgain(beforeSend) })
}

/** Who answers at once can be asked again when the connection is there. */
function askAgain(beforeSend: BeforeSend | undefined): boolean {
  void beforeSend?.()
  return true
}

interface DispatchOptions extends Omit<ExchangeOptions, 'beforeSend'> {
  /** Asked when the connection is there, right before the request goes out. Throws, or says that it must not go now. */
  readonly mayStart: () => boolean
}

function dispatch(
  agent: Agent,
  request: WireRequest,
  { maxResponseBytes, signal, mayStart }: DispatchOptions,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const { method, origin, target: path, headers, body } = request
    const handler = new Exchange(resolve, reject, { maxResponseBytes, mayStart, route: { origin, via: agent.via } })
    if (signal && !handler.obey(signal)) return
    agent.dispatch({ method, origin, path, headers, body: body ?? null }, handler)
  })
}

interface Route {
  readonly origin: string
  /** The proxy in between. */
  readonly via: string | undefined
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: RawResponse) => void
  readonly #reject: (error: unknown) => void
  readonly #maxResponseBytes: number
  readonly #mayStart: () => boolean
  readonly #route: Route
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: WireHeaders = {}
  #chunks: Buffer[] = []
  #bytes = 0
  #sent = false
  #settled = false
  #stopObeying: (() => void) | undefined

  constructor(
    resolve: (response: RawResponse) => void,
    reject: (error: unknown) => void,
    { maxResponseBytes, mayStart, route }: Pick<DispatchOptions, 'maxResponseBytes' | 'mayStart'> & { route: Route },
  ) {
    this.#route = route
    this.#resolve = resolve
    this.#reject = reject
    this.#maxResponseBytes = maxResponseBytes
    this.#mayStart = mayStart
  }

  /** Ends the exchange when the signal aborts; returns false if it has already aborted. */
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
    if (!this.#settled) this.#askWhetherToStart()
    if (this.#settled) controller.abort(new Error('not wanted any more'))
    else this.#controller = controller
  }

  onRequestSent(): void {
    this.#sent = true
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: WireHeaders): void {
    if (status < 200) return
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxResponseBytes) controller.abort(new Error('the answer is larger than the limit'))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#answer(undefined)
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#status !== 0) this.#answer(this.#bytes > this.#maxResponseBytes ? TOO_LARGE : 'it broke off')
    else if (error instanceof AudienceError) this.#fail(error)
    else this.#fail(this.#explained(error))
  }

  #explained(error: Error & { code?: unknown; data?: unknown }): TransportError {
    const { via } = this.#route
    const code = typeof error.code === 'string' ? error.code : error.name
    const message = error.message || code
    const data = typeof error.data === 'string' ? error.data : ''
    const explained = explainTransport({ message, code, data }, this.#route)
    const begun = this.#controller !== undefined && !explained?.isByProxy
    const through = begun || via === undefined || explained?.isByProxy ? '' : `, through ${via}`
    const details = { code, begun, sent: this.#sent && begun, aborted: false, hint: explained?.hint }
    return new TransportError(`${explained?.message ?? message}${through}`, details)
  }

  #askWhetherToStart(): void {
    try {
      if (this.#mayStart()) return
      // Nothing was sent: the next attempt asks again.
      this.#fail(this.#transportError('connecting took too long', 'NOT_STARTED', false))
    } catch (error) {
      this.#fail(error)
    }
  }

  #answer(flaw: string | undefined): void {
    if (this.#settle()) return
    const [first, ...more] = this.#chunks
    const bytes = first !== undefined && more.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#resolve({ status: this.#status, headers: this.#headers, bytes, flaw })
  }

  #fail(error: unknown): void {
    if (!this.#settle()) this.#reject(error)
  }

  /** Returns whether it was already settled. */
  #settle(): boolean {
    if (this.#settled) return true
    this.#settled = true
    this.#stopObeying?.()
    return false
  }

  #transportError(message: string, code: string, aborted: boolean): TransportError {
    return new TransportError(message, { code, begun: this.#controller !== undefined, sent: this.#sent, aborted })
  }
}
