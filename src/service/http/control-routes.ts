import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isJsonObject, type Json, stringifyJson } from '../../core/json.ts'
import { pickFields } from '../../core/pick-fields.ts'
import { violationsOf } from '../../core/validation.ts'
import { validators } from '../../generated/validators.ts'
import { ApiError } from '../api-error.ts'
import { type ControlContext, controlHandlers } from '../control/control-handlers.ts'
import {
  type ControlInput,
  type ControlOperation,
  type ControlOperationId,
  type CsvAnswer,
  controlOperations,
} from '../control/control-operations.ts'
import { requireToken } from './bearer.ts'
import { invalidInput, problemItem } from './check-input.ts'
import { requireJsonBody } from './content-type.ts'
import { type DecodedInput, decodeText } from './decode-input.ts'
import { CONTROL_PREFIX } from './exchange.ts'
import { ALL_METHODS, methodNotAllowed } from './methods.ts'
import { parseQuery } from './query.ts'
import { sendText } from './send-text.ts'

interface ControlEndpoint<Id extends ControlOperationId = ControlOperationId> {
  readonly id: Id
  readonly operation: ControlOperation
}

/**
 * The control API: the decisions of people, other participants and tests (decision 126). It has its own token and is
 * always strict. Only the liveness check needs no token.
 */
export function registerControl(app: FastifyInstance, control: ControlContext): void {
  for (const [path, byMethod] of endpointsByPath()) {
    app.route({
      method: [...ALL_METHODS],
      url: `${CONTROL_PREFIX}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      onRequest: async (request) => {
        const endpoint = byMethod.get(request.method)
        if (!endpoint?.operation.open) requireToken(request.headers.authorization, control.tokens.isControl)
        if (!endpoint) throw methodNotAllowed(request, byMethod.keys())
        if (endpoint.operation.method === 'POST') requireJsonBody(request.headers)
      },
      handler: async (request, reply) => {
        const endpoint = byMethod.get(request.method)
        if (!endpoint) throw methodNotAllowed(request, byMethod.keys())
        return answer(reply, control, endpoint, inputOf(request, endpoint))
      },
    })
  }
}

function endpointsByPath(): Map<string, Map<string, ControlEndpoint>> {
  const paths = new Map<string, Map<string, ControlEndpoint>>()
  for (const id of Object.keys(controlOperations) as ControlOperationId[]) {
    const operation: ControlOperation = controlOperations[id]
    const byMethod = paths.get(operation.path) ?? new Map<string, ControlEndpoint>()
    paths.set(operation.path, byMethod.set(operation.method, { id, operation }))
  }
  return paths
}

function inputOf(request: FastifyRequest, { id, operation }: ControlEndpoint): object {
  const isInPath = (name: string) => operation.path.includes(`{${name}}`)
  const isInBody = (name: string) => operation.method === 'POST' && !isInPath(name)
  const { input, items } = decode(request, operation, { isInPath, isInBody })
  const violations = violationsOf(validators[`control.${id}`], input, operation.rules)
  const all = [...items, ...violations.map((violation) => problemItem(violation, isInBody))]
  if (all.length > 0) throw invalidInput(all)
  return input
}

function decode(
  request: FastifyRequest,
  { method, input: { properties } }: ControlOperation,
  places: { isInPath: (name: string) => boolean; isInBody: (name: string) => boolean },
): DecodedInput {
  const decoded: DecodedInput = { input: {}, items: [] }
  const take = (name: string, texts: readonly string[], schema: (typeof properties)[string]) => {
    const value = texts.length === 1 ? decodeText(schema, texts[0] ?? '') : { problem: 'must be there once' }
    if (typeof value === 'object') decoded.items.push({ parameter: name, message: value.problem })
    else decoded.input[name] = value
  }
  for (const [name, text] of Object.entries(request.params as Record<string, string>)) {
    take(name, [text], properties[name] ?? {})
  }
  for (const [name, texts] of parseQuery(request.url)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!schema || method === 'POST' || places.isInPath(name)) {
      decoded.items.push({ parameter: name, message: 'is not known here' })
    } else take(name, texts, schema)
  }
  const body = method === 'POST' ? ((request.body ?? {}) as Json) : {}
  if (!isJsonObject(body)) throw new ApiError('invalid-request', 'the body must be a JSON object')
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(properties, name) || !places.isInBody(name)) {
      decoded.items.push({ pointer: `/${name}`, message: 'is not known here' })
    } else if (value !== undefined) decoded.input[name] = value
  }
  return decoded
}

async function answer<Id extends ControlOperationId>(
  reply: FastifyReply,
  control: ControlContext,
  { id, operation: { output } }: ControlEndpoint<Id>,
  input: object,
): Promise<FastifyReply> {
  // The input was checked against the schema.
  const value: object = await controlHandlers[id](control, input as ControlInput<Id>)
  if (output) return sendText(reply, 'application/json', stringifyJson(pickFields(output, value, { keepNull: true })))
  const { csvFile } = value as CsvAnswer
  const content = createReadStream(csvFile)
  content.once('close', () => void rm(csvFile, { force: true }))
  return reply.type('text/csv; charset=utf-8').send(content)
}
