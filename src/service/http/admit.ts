import type { FastifyRequest } from 'fastify'
import { type Operation, VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { Endpoint } from '../../http/operation.ts'
import { nothingAt, Refusal } from '../api-error.ts'
import type { Participant } from '../network/network.ts'
import type { Tokens } from '../tokens.ts'
import { methodNotAllowed } from './methods.ts'
import { parseQuery } from './query.ts'
import { acceptsVendorType, requireJsonBody, requireMultipartBody, requireToken } from './request-headers.ts'
import { checkInput, type DecodedInput, decodeParameters } from './request-input.ts'

export type ServiceEndpoint = Endpoint<OperationId, Operation>

/** What is known about a request before its body is read. */
export interface RequestHead {
  readonly endpoint: ServiceEndpoint
  readonly caller: Participant
  readonly decoded: DecodedInput
}

export interface AdmitOptions {
  /** The participants, by the id in the path. */
  participants: ReadonlyMap<string, Participant>
  tokens: Tokens
  strict: boolean
}

/**
 * Performs all checks that are possible before the body is read, so that no upload is read only to be refused. Throws
 * Refusal.
 */
export function admit(
  request: FastifyRequest,
  byMethod: ReadonlyMap<string, ServiceEndpoint>,
  { participants, tokens, strict }: AdmitOptions,
): RequestHead {
  const path = request.params as Record<string, string>
  // After a trailing slash, the router sees an empty value (decision 17).
  for (const name in path) if (path[name] === '') throw nothingAt(request.url)
  const caller = participants.get(path.participant ?? '')
  const { authorization } = request.headers
  if (!caller || !tokens.isBearerOf(caller.id, authorization)) {
    requireToken(authorization, (token) => caller !== undefined && tokens.isOf(caller.id, token))
  }
  const endpoint = byMethod.get(request.method)
  if (!caller || !endpoint) throw methodNotAllowed(request, byMethod.keys())
  const { operation } = endpoint
  if (operation.accept === 'vendor' && !acceptsVendorType(request.headers.accept)) {
    throw new Refusal('not-acceptable', `the Accept header must allow ${VENDOR_MEDIA_TYPE}`)
  }
  if (operation.upload !== undefined) requireMultipartBody(request.headers)
  // If the operation does not read the body, the body may have any type (decision 83).
  else if (endpoint.bodyFields.size > 0) requireJsonBody(request.headers)
  const decoded = decodeParameters(endpoint, { path, query: parseQuery(request.url) }, { strict })
  if (operation.upload !== undefined) {
    // A placeholder for the part. The name of the part is checked when it arrives.
    decoded.input[operation.upload] = operation.upload
    checkInput(endpoint, decoded)
  }
  return { endpoint, caller, decoded }
}
