import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Json, stringifyJson } from '../../core/json.ts'
import { pickFields } from '../../core/pick-fields.ts'
import { violationsOf } from '../../core/validation.ts'
import { validators } from '../../generated/validators.ts'
import { type Endpoint, endpointsByPath } from '../../http/operation.ts'
import { invalidInput } from '../api-error.ts'
import { type ControlContext, controlHandlers } from '../control/control-handlers.ts'
import { CONTROL_PREFIX, type ControlOperation } from '../control/control-operation.ts'
import {
  type ControlInput,
  type ControlOperationId,
  type CsvAnswer,
  controlOperations,
} from '../control/control-operations.ts'
import { anyMethodAt, methodNotAllowed } from './methods.ts'
import { parseQuery } from './query.ts'
import { requireJsonBody, requireToken } from './request-headers.ts'
import { decodeJsonBody, decodeParameters, problemItem } from './request-input.ts'
import { sendText } from './send-text.ts'

type ControlEndpoint<Id extends ControlOperationId = ControlOperationId> = Endpoint<Id, ControlOperation>

/**
 * Registers the control API: the decisions of people, other participants and tests (decision 126). It has its own token
 * and is always strict. Operations with `open` need no token.
 */
export function registerControl(app: FastifyInstance, control: ControlContext): void {
  for (const [path, byMethod] of endpointsByPath<ControlOperationId, ControlOperation>(controlOperations)) {
    app.route({
      ...anyMethodAt(CONTROL_PREFIX, path),
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

function inputOf(request: FastifyRequest, endpoint: ControlEndpoint): object {
  const sent = { path: request.params as Record<string, string>, query: parseQuery(request.url) }
  const decoded = decodeParameters(endpoint, sent, STRICT)
  if (endpoint.operation.method === 'POST') decodeJsonBody(endpoint, (request.body ?? {}) as Json, decoded, STRICT)
  const violations = violationsOf(validators[`control.${endpoint.id}`], decoded.input, endpoint.operation.rules)
  const items = [...decoded.items, ...violations.map((violation) => problemItem(violation, endpoint))]
  if (items.length > 0) throw invalidInput(items)
  return decoded.input
}

const STRICT = { strict: true, keepNull: true } as const

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
