import type { IncomingMessage } from 'node:http'
import type { JsonText } from '../../core/json.ts'
import type { ApiAnswerOf, ApiInputOf, ApiOperationId } from '../api/operations.ts'
import type { actorOfCaller, Caller } from './caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { RunStreamFrom } from './run-stream.ts'
import type { OpenSession } from './sessions.ts'

/** One request to the API, for its handler. */
export interface ApiCall {
  readonly caller: Caller
  /** The caller with the reason in the input, for the records of a run and the audit log. */
  readonly actor: ReturnType<typeof actorOfCaller>
  /** The value of the header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined
  /** The body. For an upload, it is the file. */
  readonly body: IncomingMessage
  /** Resolves when it is this request's turn to work. This way, a long request does not delay all others. */
  turn(): Promise<void>
  /** Adds a header to the response. */
  setHeader(name: string, value: string): void
  /**
   * Ends the session of the caller or, with `everywhere`, all sessions of that person. The streams of these sessions
   * end, too.
   */
  endSession(session: OpenSession, options: { everywhere: boolean }): void
  /** Answers with the events of a run after the last event that the reader has received. */
  streamRun(from: RunStreamFrom): Promise<Streamed>
}

/** The result of a handler that has already begun to stream its response, or that has nothing to send. */
export const STREAMED = Symbol('streamed')
type Streamed = typeof STREAMED

/** The handler of each operation. A missing handler is a type error. */
export type ApiHandlers = {
  readonly [Id in ApiOperationId]: (
    deps: ConsoleDeps,
    input: ApiInputOf<Id>,
    call: ApiCall,
  ) => ApiAnswerOf<Id> | Promise<ApiAnswerOf<Id> | JsonText | Streamed>
}
