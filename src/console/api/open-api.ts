import type { JsonSchema } from '../../core/json-schema.ts'
import { type OpenApiNode, openApiBody, openApiParameters, openApiPaths, withParts } from '../../http/open-api.ts'
import type { ApiOperation } from './api-operation.ts'
import { EVENTS_PATH, streamEvents } from './events.ts'
import { API_PATH, apiOperations } from './operations.ts'

const DESCRIPTION = `What audience start offers to its console and to programs. docs/api.md has an example of each.

Times are RFC 3339 in UTC. Integers beyond 2^53 are strings. An error is \`{ code, message, hint, fields }\`; codes are
stable. \`x-role\` is the role that an operation needs.`

/** Makes the OpenAPI 3.1 document of the API from its operations. */
export function consoleOpenApi(): OpenApiNode {
  const components = new Map<string, JsonSchema>()
  const shown = (schema: JsonSchema) => referring(schema, components)
  const paths = openApiPaths<ApiOperation>(apiOperations, (id, operation) => describe(id, operation, shown))
  const events = shown({ anyOf: Object.values(streamEvents) })
  return {
    openapi: '3.1.0',
    info: { title: 'audience start', version: '1', description: DESCRIPTION },
    servers: [{ url: `/${API_PATH}` }],
    security: [{ bearer: [] }, { session: [] }],
    paths: { ...paths, [EVENTS_PATH]: { get: eventStream(events) } },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of `console.tokens`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'audience_*',
          description: 'The session of a browser, from a one-time URL.',
        },
      },
      schemas: { ...Object.fromEntries(components), Error: ERROR },
    },
  }
}

const ERROR: JsonSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', description: 'Stable.' },
    message: { type: 'string', description: 'What is wrong, for people.' },
    hint: { type: 'string', description: 'What to do next.' },
    fields: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'What is wrong with individual fields.',
    },
  },
}

function describe(id: string, operation: ApiOperation, shown: (schema: JsonSchema) => JsonSchema): OpenApiNode {
  const { method, summary, description, role, output } = operation
  const parameters = openApiParameters(operation, shown)
  if (id === 'runs.start') parameters.push(IDEMPOTENCY_KEY)
  if (operation.stream) parameters.push(LAST_EVENT_ID)
  return {
    operationId: id,
    summary,
    description,
    'x-role': role,
    parameters,
    requestBody: method === 'POST' ? bodyOf(operation, shown) : undefined,
    responses: {
      200: operation.stream
        ? { description: 'Events.', content: { 'text/event-stream': { schema: shown(output) } } }
        : { description: 'Done.', content: { 'application/json': { schema: shown(output) } } },
      204: operation.stream && { description: 'There are no more events, and no more will come.' },
      default: {
        description: 'The request was refused or failed.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A key that is the same in a repeated request.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The id of the last event that arrived. Only later events are sent.',
  schema: { type: 'integer', minimum: 0 },
}

function bodyOf(operation: ApiOperation, shown: (schema: JsonSchema) => JsonSchema): OpenApiNode {
  if (operation.upload) return { required: true, content: { 'application/octet-stream': { schema: {} } } }
  const { required, properties } = openApiBody(operation)
  const schema = { type: 'object', additionalProperties: false, required, properties } as const
  return { required: true, content: { 'application/json': { schema: shown(schema) } } }
}

function eventStream(schema: JsonSchema): OpenApiNode {
  const names = Object.keys(streamEvents).join(', ')
  return {
    operationId: 'events.follow',
    summary: 'Follow what changes',
    description: `Server-sent events: ${names}. After each hello, reload everything that you show, because events are not repeated.`,
    'x-role': 'viewer',
    responses: {
      200: { description: 'Events until the connection ends.', content: { 'text/event-stream': { schema } } },
    },
  }
}

/** Replaces each schema that has a title with a reference. The schema becomes a component. */
function referring(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { title, ...rest } = schema
  const inner = withParts(rest, (one) => referring(one, components))
  if (title === undefined) return inner
  components.set(title, inner)
  return { $ref: `#/components/schemas/${title}` }
}
