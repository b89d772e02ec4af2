import type { Operation } from '../contract/operation.ts'
import type { Json } from '../core/json.ts'
import type { WireHeaders, WireResponse } from './exchange.ts'
import type { RequestPlan } from './request-plan.ts'
import type { Decoded } from './response-decoder.ts'
import type { Transport } from './transport.ts'

/**
 * What an answer proves about its request (docs/decisions.md, "What an answer proves"). `nothing`: the request may or
 * may not have taken effect.
 */
export type Proof =
  | { readonly proves: 'applied'; readonly value: Json | undefined }
  | { readonly proves: 'notApplied' }
  /** `why`: what is wrong with a successful answer, if it is known. */
  | { readonly proves: 'nothing'; readonly why?: string | undefined }

/** Reads a body. */
type Decode = (text: string) => Decoded

/** The success statuses that need no body. For deletes, the contract says both 200 and "No Content" (decision 76). */
const SUCCESSES_WITHOUT_BODY: readonly number[] = [200, 202, 204]
const NOTHING = { proves: 'nothing' } as const
const EMPTY = { state: 'read', value: undefined } as const
const NOT_APPLIED = { proves: 'notApplied' } as const

/** Only this table decides what an answer proves (decisions 150 and 151). */
export function answerProves(
  { operation, decode }: Pick<RequestPlan, 'operation'> & { decode: Decode },
  response: WireResponse,
  { retryAfterMeansRefused }: Pick<Transport, 'retryAfterMeansRefused'>,
): Proof {
  const { status, headers } = response
  if (status >= 200 && status < 300) {
    const success = operation.output === null ? emptySuccess(response) : promisedSuccess(operation, response, decode)
    if (success?.state === 'read') return { proves: 'applied', value: success.value }
    return success ? { proves: 'nothing', why: success.why } : NOTHING
  }
  // These statuses prove nothing. A timeout layer in front of the service may answer 408. A server that suspects a
  // replay answers 425. A proxy that has passed the request on may answer 407.
  if (status === 407 || status === 408 || status === 425) return NOTHING
  if (status >= 400 && status < 500) return NOT_APPLIED
  // A cache may give this answer on its own while a slow service is still working.
  const isPutOff = status === 503 && headers['retry-after'] !== undefined
  // A read has no effect.
  return isPutOff && (retryAfterMeansRefused || operation.method === 'GET') ? NOT_APPLIED : NOTHING
}

/**
 * This successful answer has no body, so a page or text must come from another program (decision 150). If no length is
 * stated, an empty body may be a page whose content was lost.
 */
function emptySuccess({ status, headers, text, flaw }: WireResponse): Decoded | undefined {
  if (flaw !== undefined || !SUCCESSES_WITHOUT_BODY.includes(status)) return undefined
  const hasLength = status === 204 || 'content-length' in headers || 'transfer-encoding' in headers
  return hasLength && text.trim() === '' && !/html/i.test(contentType(headers)) ? EMPTY : undefined
}

/** Accepts any 2xx if the body is what the contract promises. A 206 has only part of the body. */
function promisedSuccess(
  { method }: Operation,
  { status, headers, text, flaw }: WireResponse,
  decode: Decode,
): Decoded | undefined {
  if (flaw !== undefined || status === 206) return undefined
  return method === 'GET' || isJsonType(contentType(headers)) ? decode(text) : undefined
}

/** Accepts any JSON type, or none at all (decision 6), but not problem+json, which is for errors. */
function isJsonType(type: string): boolean {
  return type === '' || (/^(application|text)\/([\w.+-]+\+)?json\s*(;|$)/i.test(type) && !/^[^;]*problem/i.test(type))
}

function contentType(headers: WireHeaders): string {
  const type = headers['content-type']
  return (Array.isArray(type) ? type.join(', ') : (type ?? '')).trim()
}
