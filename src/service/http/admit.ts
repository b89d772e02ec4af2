import type { FastifyRequest } from 'fastify'
import { type Operation, VENDOR_MEDIA_TYPE } from '../../contract/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { Endpoint } from '../../http/operation.ts'
import { nothingAt, Refusal } from '../api-error.ts'
import type { Participant } from '../network/network.ts'
import type { Tokens } from '../tokens.ts'
import { requireToken } from './bearer.ts'
import { isMultipartType, requireJsonBody } from './content-type.ts'
import { methodNotAllowed } from './methods.ts'
import { parseQuery } from './query.ts'
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
  readonly participants: ReadonlyMap<string, Participant>
  readonly tokens: Tokens
  readonly strict: boolean
}

/** Does all checks that are possible before the body is read, so that no upload is read for nothing. Throws Refusal. */
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
  if (operation.upload === undefined) checkBodyType(request, endpoint)
  else checkUploadType(request)
  const decoded = decodeParameters(endpoint, { path, query: parseQuery(request.url) }, { strict })
  if (operation.upload !== undefined) {
    // A placeholder for the part. The name of the part is checked when it arrives.
    decoded.input[operation.upload] = operation.upload
    checkInput(endpoint, decoded)
  }
  return { endpoint, caller, decoded }
}

function checkUploadType({ headers }: FastifyRequest): void {
  if (isMultipartType(headers['content-type'])) return
  throw new Refusal('unsupported-media-type', 'the Content-Type must be multipart/form-data')
}

/** If the operation does not read the body, the body may have any type (decision 83). */
function checkBodyType({ headers }: FastifyRequest, { bodyFields }: ServiceEndpoint): void {
  if (bodyFields.size > 0) requireJsonBody(headers)
}

/**
 * Whether an Accept header allows the vendor media type. The most specific range decides; its q-value must be above 0
 * (decisions 3 and 5). A missing header does not allow it, because every endpoint requires one.
 */
function acceptsVendorType(header: string | undefined): boolean {
  if (header === VENDOR_MEDIA_TYPE) return true
  let best = { specificity: -1, quality: 0 }
  for (const range of (header ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const specificity = RANGES.indexOf(type)
    if (specificity < 0 || !parameters.every(isAllowed)) continue
    const quality = qualityOf(parameters)
    if (specificity > best.specificity || (specificity === best.specificity && quality > best.quality)) {
      best = { specificity, quality }
    }
  }
  return best.quality > 0
}

/** The ranges that contain the vendor type, least specific first. */
const RANGES: readonly string[] = ['*/*', 'application/*', VENDOR_MEDIA_TYPE]

/**
 * Whether the range still allows the type with this parameter. The type has no parameters, so a range with a parameter
 * asks for something else. JSON is always UTF-8, so a charset parameter may say so.
 */
function isAllowed(parameter: string): boolean {
  return /^q\s*=/.test(parameter) || /^charset\s*=\s*"?utf-?8"?$/.test(parameter)
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/.test(parameter))
  if (text === undefined) return 1
  const quality = /^q\s*=\s*(0(\.\d{0,3})?|1(\.0{0,3})?)$/.exec(text)?.[1]
  return quality === undefined ? 0 : Number(quality)
}
