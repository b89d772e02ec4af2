import type { ObjectSchema, Static } from '../core/json-schema.ts'
import { ROLES } from '../core/role.ts'
import { text } from './schema-parts.ts'

const people = (role: string) =>
  ({
    type: 'array',
    items: { type: 'string', minLength: 1 },
    description: `Who is ${role}: names as the proxy gives them, groups as group:NAME, or "*" for everybody that it lets through.`,
  }) as const

/** A path that begins with / and ends with /. */
export const BASE_PATH_PATTERN = '^/([A-Za-z0-9._~-]+/)*$'

/** The web console and the API of `audience start`. */
export const consoleSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'The web console and the API of audience start; docs/console.md explains them.',
  properties: {
    host: text('The address that it listens on. Default: 127.0.0.1.'),
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      description: 'Its port; 0 takes a free one. Default: 9471, or a free one where that is in use.',
    },
    basePath: {
      type: 'string',
      pattern: BASE_PATH_PATTERN,
      description: 'The path that all of its addresses begin with, such as /tools/audience/. Default: /.',
    },
    publicUrl: text(
      'The address that people reach it at, through a proxy: https://tools.example.com/audience/. Its host is answered for.',
    ),
    readOnly: { type: 'boolean', description: 'Nothing can be done in it, only looked at. Default: false.' },
    roles: {
      type: 'object',
      additionalProperties: false,
      description:
        'What people whom a proxy names may do. A viewer looks; an operator also runs, cancels, retries, pauses, uploads and changes the embedded service; an approver also decides. Who is in no list is refused.',
      properties: { viewer: people('a viewer'), operator: people('an operator'), approver: people('an approver') },
    },
    proxy: {
      type: 'object',
      additionalProperties: false,
      required: ['peers', 'userHeader'],
      description: 'A proxy that signs people in and names them in headers.',
      properties: {
        peers: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', minLength: 1 },
          description:
            'The addresses that the proxy connects from, such as 10.0.0.5 or 10.0.0.0/24. Nobody else is believed.',
        },
        userHeader: text('The header with the name of the person, such as X-Forwarded-User.'),
        groupsHeader: text('The header with the groups of the person, separated by commas.'),
      },
    },
    tokens: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'role'],
        properties: {
          name: text('Who uses it, for the audit log.'),
          role: { enum: ROLES, description: 'What it may do; see `roles`.' },
          tokenEnv: text('Name of the environment variable with the token.'),
          tokenFile: text('Path of a file with the token.'),
        },
      },
      description:
        'Tokens for programs: Authorization: Bearer TOKEN. Each has either tokenEnv or tokenFile, and at least 16 characters.',
    },
  },
} as const satisfies ObjectSchema

export type ConsoleConfig = Static<typeof consoleSchema>
