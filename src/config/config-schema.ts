import type { ObjectSchema, Static } from '../core/json-schema.ts'

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const

/** One way to get at a service. */
const profile = {
  type: 'object',
  additionalProperties: false,
  properties: {
    baseUrl: text('Base address of the service, with its path prefix. Without it the embedded service is used.'),
    token: text(
      'The access token itself. Better: tokenEnv, tokenFile or tokenCommand, so that it is in no file of yours.',
    ),
    tokenEnv: text('Name of the environment variable with the access token.'),
    tokenFile: text('Path of a file with the access token; read again when the service refuses it.'),
    tokenCommand: {
      type: 'array',
      minItems: 1,
      items: { type: 'string' },
      description: 'A program and its arguments that print the access token; no shell is involved.',
    },
    oauth2: {
      type: 'object',
      additionalProperties: false,
      required: ['tokenUrl', 'clientId', 'clientSecretEnv'],
      description: 'OAuth 2.0 client credentials.',
      properties: {
        tokenUrl: text('Address of the token endpoint.'),
        clientId: text('Client id.'),
        clientSecretEnv: text('Name of the environment variable with the client secret.'),
        scope: text('Scopes to ask for, separated by blanks.'),
        audience: text('The API that the token is for, where the server wants to know.'),
      },
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      description: 'How much the service is asked at a time.',
      properties: {
        concurrency: { type: 'integer', minimum: 1, maximum: 256, description: 'Requests under way at a time.' },
        requestsPerSecond: { type: 'number', exclusiveMinimum: 0, description: 'Requests per second.' },
        pollsPerSecond: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Polls of all jobs together, per second; 50 where it is not given.',
        },
      },
    },
  },
} as const satisfies ObjectSchema

/** `audience.yaml`. */
export const configSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Audience Pipelines configuration',
  type: 'object',
  additionalProperties: false,
  properties: {
    profiles: {
      type: 'object',
      additionalProperties: profile,
      description: 'Services by name; `local` is the embedded one unless it is named here.',
    },
    state: text('Folder of the state, relative to this file; .audience where it is not given.'),
    pipelines: text(
      'Folder of the pipelines that audience start runs, relative to this file; pipelines where it is not given.',
    ),
    runs: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      description:
        'How many runs audience start works on at a time; 100 where it is not given. Runs that only wait do not count.',
    },
  },
} as const satisfies ObjectSchema

/** What a configuration file holds. */
export interface Config {
  readonly profiles?: Readonly<Record<string, Profile>>
  readonly state?: string
  readonly pipelines?: string
  readonly runs?: number
}
export type Profile = Static<typeof profile>
