import { dirname, resolve } from 'node:path'
import { readHostPattern } from '../core/host-pattern.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { usesOf } from '../core/list-source.ts'
import type { Policy } from '../core/policy.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import { PROXY_VARIABLES } from '../platform/proxies.ts'
import { type Config, configSchema } from './config-schema.ts'
import { sourcesOf } from './sources-config.ts'

/**
 * The policy that a configuration sets for documents. `checkPolicyConfig` has checked the configuration; `file` is its
 * absolute path.
 */
export function policyOf(config: Config, file: string | undefined): Policy {
  const { env, webhookHosts, fileRoots, approvals } = config.policy ?? {}
  const project = file === undefined ? undefined : dirname(file)
  return {
    project,
    env,
    webhookHosts: webhookHosts?.flatMap((text) => readHostPattern(text) ?? []),
    fileRoots: project === undefined ? undefined : fileRoots?.map((root) => resolve(project, root)),
    approvals,
    requirePrepared: config.privacy?.requirePrepared,
    sources: project === undefined ? undefined : usesOf(sourcesOf(config.sources, project)),
    ownEnv: [...variablesOf(config), ...PROXY_VARIABLES],
  }
}

/**
 * The variables that documents can never use: those with secrets, and those that lead to a database, a bucket or a
 * proxy.
 */
function secretVariables(config: Config): string[] {
  return [...variablesOf(config, [ADDRESS]), ...PROXY_VARIABLES]
}

/** The key that names a variable with the address of a channel: `policy.env` can allow this variable for documents. */
const ADDRESS = 'urlEnv'
/** The keys that name a variable without a secret. */
const WITHOUT_SECRET = [ADDRESS, 'stateEnv', 'accessKeyIdEnv']

/** The variables that belong to the configuration, except the variables that the keys in `without` name. */
function variablesOf(config: Config, without: readonly string[] = []): string[] {
  const named = [...namesIn(config, configSchema)].filter(([key]) => !without.includes(key))
  return [...named.map(([, name]) => name), DATABASE_PASSWORD]
}

/** Each environment variable that a value names, with its key in the schema. Such a key ends in `Env`. */
function* namesIn(value: unknown, schema: JsonSchema, key = ''): Generator<readonly [key: string, name: string]> {
  if (typeof value === 'string' && key.endsWith('Env')) yield [key, value]
  if (typeof value !== 'object' || value === null) return
  const { properties = {}, additionalProperties, items } = schema
  const others = typeof additionalProperties === 'object' ? additionalProperties : (items ?? {})
  for (const [name, part] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    yield* namesIn(part, own ?? others, own ? name : key)
  }
}

/**
 * The tokens, passwords and keys that a configuration contains or names, and the token in the environment. Every
 * command knows them, whether or not it uses them, because people repeat them in comments and in commit messages.
 */
export function secretsIn(config: Config, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { profiles = {}, pipelines } = config
  const written = Object.values(profiles).map(({ token }) => token)
  const values = [
    ...written,
    typeof pipelines === 'object' ? pipelines.git.token : undefined,
    env.AUDIENCE_TOKEN,
    ...variablesOf(config, WITHOUT_SECRET).map((name) => env[name]),
  ]
  return values.filter((value) => value !== undefined)
}

/**
 * PostgreSQL's own variable for the password. It is always included, because AUDIENCE_STATE may name the database even
 * if the configuration does not.
 */
const DATABASE_PASSWORD = 'PGPASSWORD'

/** Checks what the schema of audience.yaml cannot express about `policy` and `hosts`; `config` matches the schema. */
export function checkPolicyConfig(root: DocumentNode, config: Config, reporter: DiagnosticCollector): void {
  const secrets = secretVariables(config)
  const policy = childOf(root, 'policy')
  for (const item of [...itemsOf(childOf(policy, 'webhookHosts')), ...itemsOf(childOf(root, 'hosts'))]) {
    const text = textOf(item)
    if (text === undefined || readHostPattern(text)) continue
    const hint = 'write hooks.example.com, *.example.com or hooks.example.com:8443, without https:// or a path'
    reporter.wrongValue(`${text} is not a host`, item, hint)
  }
  for (const item of itemsOf(childOf(policy, 'env'))) {
    const name = textOf(item)
    if (name === undefined || !(name.startsWith('AUDIENCE_') || secrets.includes(name))) continue
    const message = `${name} is for audience itself: documents cannot read it`
    reporter.wrongValue(message, item, 'give documents a variable of their own')
  }
}
