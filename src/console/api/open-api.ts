import type { JsonSchema } from '../../core/json-schema.ts'
import type { ApiOperation } from './api-operation.ts'
import { streamEvents } from './events.ts'
import { apiOperations } from './operations.ts'

type Node = Readonly<Record<string, unknown>>

const DESCRIPTION = `What audience start offers to its console and to programs. docs/api.md has an example of each.

Times are RFC 3339 in UTC. Integers beyond 2^53 are strings. An error is \`{ code, message, hint, fields }\`; codes are
stable. \`x-role\` is the role that an operation needs.`

/** The OpenAPI 3.1 document of the API, from its operations alone. */
export function openApiDocument(): Node {
  const components = new Map<string, JsonSchema>()
  const paths: Record<string, Record<string, Node>> = {}
  for (const [id, operation] of Object.entries<ApiOperation>(apiOperations)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: pathItem(id, operation, components),
    }
  }
  const events = referring({ anyOf: Object.values(streamEvents) }, components)
  return {
    openapi: '3.1.0',
    info: { title: 'audience start', version: '1', description: DESCRIPTION },
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }, { session: [] }],
    paths: { ...paths, '/events': { get: eventStream(events) } },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of `console.tokens`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'audience_*',
          description: 'Of a browser, from a one-time URL.',
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
      description: 'What is wrong with single fields.',
    },
  },
}

function pathItem(id: string, operation: ApiOperation, components: Map<string, JsonSchema>): Node {
  const { method, path, summary, description, role, input, output, upload } = operation
  const required = new Set(input.required)
  const fields = Object.entries(input.properties)
  const isInPath = (name: string) => path.includes(`{${name}}`)
  const isInQuery = method === 'GET' || upload === true
  const parameters = fields
    .filter(([name]) => isInPath(name) || isInQuery)
    .map(([name, { description: about, ...schema }]) => ({
      ...{ name, in: isInPath(name) ? 'path' : 'query', required: required.has(name), description: about },
      schema: referring(schema, components),
    }))
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    'x-role': role,
    parameters: id === 'runs.start' ? [...parameters, IDEMPOTENCY_KEY] : parameters,
    ...(method === 'POST' && { requestBody: bodyOf(operation, components) }),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: referring(output, components) } } },
      default: {
        description: 'It is refused, or did not work.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const IDEMPOTENCY_KEY = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description: 'The same in a repeated request.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

function bodyOf({ input, path, upload }: ApiOperation, components: Map<string, JsonSchema>): Node {
  if (upload) return { required: true, content: { 'application/octet-stream': { schema: {} } } }
  const isInBody = (name: string) => !path.includes(`{${name}}`)
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: (input.required ?? []).filter(isInBody),
    properties: Object.fromEntries(Object.entries(input.properties).filter(([name]) => isInBody(name))),
  } as const
  return { required: true, content: { 'application/json': { schema: referring(schema, components) } } }
}

function eventStream(schema: JsonSchema): Node {
  const names = Object.keys(streamEvents).join(', ')
  return {
    operationId: 'events.follow',
    summary: 'Follow what changes',
    description: `Server-sent events: ${names}. After each hello, read again what you show: nothing is repeated.`,
    'x-role': 'viewer',
    responses: {
      200: { description: 'Events until the connection ends.', content: { 'text/event-stream': { schema } } },
    },
  }
}

/** The schema with a reference in the place of each titled one, which becomes a component. */
function referring(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { title, ...rest } = schema
  const inner = inside(rest, components)
  if (title === undefined) return inner
  components.set(title, inner)
  return { $ref: `#/components/schemas/${title}` }
}

function inside(schema: JsonSchema, components: Map<string, JsonSchema>): JsonSchema {
  const { properties, items, anyOf } = schema
  const each = (one: JsonSchema) => referring(one, components)
  return {
    ...schema,
    ...(schema.enum && schema.type === undefined && { type: 'string' }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, each(one)])),
    }),
    ...(items && { items: each(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(each) }),
  }
}
