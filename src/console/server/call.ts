import type { IncomingMessage } from 'node:http'
import type { JsonText } from '../../core/json-text.ts'
import type { Answer } from '../api/api-operation.ts'
import type { ApiOperationId, ApiOperations } from '../api/operations.ts'
import type { Caller } from './caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { RunStreamFrom } from './run-stream.ts'
import type { OpenSession } from './sessions.ts'

/** One request of the API, for its handler. */
export interface Call {
  readonly caller: Caller
  /** Of `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined
  /** For an upload: the file. */
  readonly body: IncomingMessage
  /** Resolves when this request may do its next piece of work, so that a long one does not hold up the others. */
  turn(): Promise<void>
  /** Adds a header to the answer. */
  setHeader(name: string, value: string): void
  /** Ends the session of the caller; or all of that person, with `everywhere`. Their streams end too. */
  endSession(session: OpenSession, options: { readonly everywhere: boolean }): void
  /** Answers with the events of a run, after the one that the reader got last. */
  streamRun(from: RunStreamFrom): Promise<Streamed>
}

/** The answer is a stream, which has begun or needs none. */
export const STREAMED = Symbol('streamed')
type Streamed = typeof STREAMED

export type InputOf<Id extends ApiOperationId> = Answer<ApiOperations[Id]['input']>
export type AnswerOf<Id extends ApiOperationId> = Answer<ApiOperations[Id]['output']>

/** The handler of each operation. A missing one is a type error. */
export type Handlers = { readonly [Id in ApiOperationId]: Handler<Id> }

export type Handler<Id extends ApiOperationId> = (
  deps: ConsoleDeps,
  input: InputOf<Id>,
  call: Call,
) => AnswerOf<Id> | Promise<AnswerOf<Id> | JsonText | Streamed>
