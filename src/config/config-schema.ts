import { NOT_BY } from '../core/approval.ts'
import type { JsonObject } from '../core/json.ts'
import { exactObject, flag, integer, number, type ObjectSchema, type Static } from '../core/json-schema.ts'
import { consoleSchema } from './console-config.ts'
import { heartbeats } from './heartbeats-config.ts'
import { lists } from './lists-config.ts'
import { type NotifyConfig, notify, smtp } from './notify-config.ts'
import { type PipelinesConfig, pipelines } from './pipelines-config.ts'
import { type PrivacyConfig, privacy } from './privacy-config.ts'
import { durationSetting, nonEmptyText, nonEmptyTexts, program } from './schema-parts.ts'
import { sources } from './sources-config.ts'

/** A path below the base URL, without a query. */
export const PATH_PATTERN = '^/[^\\s?#{}]*$'

const listPath = (name: string) =>
  ({
    type: 'string',
    pattern: PATH_PATTERN,
    description: `Path of the list of ${name}, relative to baseUrl. Default: /api/${name}.`,
  }) as const

/** One way to access a service. */
const profile = exactObject({
  properties: {
    baseUrl: nonEmptyText('Base address of the service, with its path prefix; AUDIENCE_BASE_URL overrides it.'),
    token: nonEmptyText(
      'The access token itself. Better: tokenEnv, tokenFile or tokenCommand, so that it is not in this file.',
    ),
    tokenEnv: nonEmptyText('Name of the environment variable with the access token.'),
    tokenFile: nonEmptyText('Path of a file with the access token; read again when the service refuses it.'),
    tokenCommand: program('A program and its arguments that print the access token; no shell is involved.'),
    oauth2: exactObject({
      required: ['tokenUrl', 'clientId', 'clientSecretEnv'],
      description: 'OAuth 2.0 client credentials.',
      properties: {
        tokenUrl: nonEmptyText('Address of the token endpoint.'),
        clientId: nonEmptyText('Client id.'),
        clientSecretEnv: nonEmptyText('Name of the environment variable with the client secret.'),
        scope: nonEmptyText('Scopes to ask for, separated by spaces.'),
        audience: nonEmptyText('The API that the token is for, if the server asks for it.'),
      },
    }),
    proxy: {
      enum: ['none'],
      description:
        'none: the service and its token server are reached without a proxy. Default: environment variables decide. HTTP_PROXY is used for http addresses and HTTPS_PROXY for https addresses; NO_PROXY lists the hosts that are reached without a proxy: names (with all names below them), addresses, networks such as 10.0.0.0/8, each with a port if only that port is meant, or *. The lower-case variables take precedence. A loopback address uses only a proxy on this machine. Web hooks follow the same rules; the embedded service never uses a proxy.',
    },
    paths: exactObject({
      description: 'The paths of the lists that the specification of this service does not show.',
      properties: {
        'groups.list': listPath('groups'),
        'partners.list': listPath('partners'),
      },
    }),
    inputs: {
      type: 'object',
      description:
        'Default values of inputs, by name. In every document that declares such an input, the value replaces the default that the document has. Paths of files are relative to this file. A value from -i, the console, a trigger or a step takes precedence.',
    },
    limits: exactObject({
      description: 'Limits for requests to the service.',
      properties: {
        concurrency: integer({ minimum: 1, maximum: 256 }, 'The maximum number of requests at once. Default: 16.'),
        requestsPerSecond: number(
          { exclusiveMinimum: 0 },
          'The maximum number of requests per second. Default: no limit.',
        ),
        pollsPerSecond: number(
          { exclusiveMinimum: 0 },
          'The maximum number of polls per second, for all jobs together. Default: 50.',
        ),
        retryAfterMeansRefused: flag(
          'The documentation of this service says that a request answered with 503 and Retry-After did nothing. So a write with this answer is sent again. Default: false, because a cache in front of a slow service gives the same answer although the write was applied.',
        ),
      },
    }),
  },
})

/** How long the state keeps ended runs and past outcomes. */
const retention = exactObject({
  description:
    'How long the state keeps ended runs and past outcomes; audience start removes older ones. Runs that have not ended stay, and so does the last successful run of each pipeline.',
  properties: {
    runs: durationSetting('Runs that ended longer ago than this are removed. Default: 90d.'),
    keep: integer(
      { minimum: 0, maximum: 1_000_000 },
      'How many of the newest runs of each pipeline are kept, whatever their age. Default: 20.',
    ),
    occurrences: durationSetting(
      'The outcomes of slots and dropped files are removed after this time, but not while their run is kept. Default: 400d. A file whose outcome was removed may run again.',
    ),
    audit: durationSetting('Entries of the audit log are removed after this time. Default: 400d.'),
  },
})

/** What documents may use. */
const policy = exactObject({
  description:
    'What documents may use, and who approves. Each list is enforced when a document is checked, and again during a run. It does not apply to channels of this file.',
  properties: {
    env: nonEmptyTexts(
      'The environment variables that documents may read. Default: all, except those that begin with AUDIENCE_ and those that this file names itself.',
    ),
    webhookHosts: nonEmptyTexts(
      'The hosts that notify.webhook may call: hooks.example.com, *.example.com for every name below it; with a port, only that port. Default: all, except link-local and metadata addresses.',
    ),
    fileRoots: nonEmptyTexts(
      'The folders, relative to this file, in which documents may use files and watch folders. Files given on a command line must also be in one of them. Symbolic links are followed first.',
    ),
    approvals: exactObject({
      description: 'The rule for every approval, and for every guard that asks a person.',
      properties: {
        notBy: {
          enum: NOT_BY,
          description: 'Who may not decide. submitter: whoever started the run, or gave it its file or its slot.',
        },
      },
    }),
  },
})

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
      description: 'Services by name. `local` is the embedded one, and takes only `limits` and `inputs`.',
    },
    profile: nonEmptyText(
      'The profile that is used if neither --profile nor AUDIENCE_PROFILE names one. `local` is the embedded service.',
    ),
    state: nonEmptyText(
      'Folder of the state, relative to this file, or the URL of a PostgreSQL database that many machines share: postgres://audience@db.example.com/audience, without a password. Default: .audience.',
    ),
    stateEnv: nonEmptyText(
      'Name of the environment variable with the URL of the PostgreSQL database. `state` can then name the folder for the files of this machine.',
    ),
    shared: nonEmptyText(
      'Folder, relative to this file, that all machines of one database see under the same path: fingerprints of lists, and files that people uploaded. Default: the folder of the state.',
    ),
    pipelines,
    runs: integer(
      { minimum: 1, maximum: 10_000 },
      'How many runs audience start works on at the same time. Default: 100. Runs that only wait do not count.',
    ),
    notify,
    smtp,
    heartbeats,
    retention,
    policy,
    privacy,
    sources,
    lists,
    console: consoleSchema,
    hosts: nonEmptyTexts(
      'The host names for which audience start answers requests to /healthz, /readyz and /metrics, such as audience.internal or *.example.com. Loopback names, --host and the address that received the request are always accepted.',
    ),
  },
} as const satisfies ObjectSchema

/** The content of a configuration file. */
export interface Config extends Omit<Static<typeof configSchema>, keyof Precise>, Precise {}

/** The keys whose types are more precise than their schemas. */
interface Precise {
  readonly profiles?: Readonly<Record<string, Profile>>
  readonly pipelines?: PipelinesConfig
  readonly notify?: NotifyConfig
  readonly privacy?: PrivacyConfig
}
export type Profile = Omit<Static<typeof profile>, 'inputs'> & {
  /** With exact integers; see `withExactInputs`. */
  readonly inputs?: JsonObject
}
export type RetentionConfig = Static<typeof retention>
