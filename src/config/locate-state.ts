import { resolve } from 'node:path'
import { AudienceError, invalidError } from '../core/errors.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import type { Config } from './config-schema.ts'
import { type DatabaseAddress, isStateUrl, passwordIn, readDatabaseUrl } from './database-url.ts'
import type { Settings } from './settings.ts'

/**
 * Where the state is: a folder, or a database with a folder for what belongs to this machine. AUDIENCE_STATE overrides
 * `stateEnv`, which overrides `state`. `folder` is the folder of the configuration. Throws an AudienceError of the kind
 * `invalid`.
 */
export function locateState({
  config,
  folder,
  env,
  cwd,
}: {
  config: Pick<Config, 'state' | 'stateEnv' | 'shared'>
  folder: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}): Pick<Settings, 'state' | 'shared' | 'database'> {
  const placed = placeOf(config, folder, env, cwd)
  return { ...placed, shared: config.shared === undefined ? placed.state : resolve(folder, config.shared) }
}

function placeOf(
  { state = '.audience', stateEnv }: Pick<Config, 'state' | 'stateEnv'>,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Pick<Settings, 'state' | 'database'> {
  const local = resolve(folder, isStateUrl(state) ? '.audience' : state)
  const given = env.AUDIENCE_STATE
  if (given) {
    return isStateUrl(given)
      ? { state: local, database: database('AUDIENCE_STATE', given, cwd, env) }
      : { state: resolve(cwd, given) }
  }
  if (stateEnv !== undefined)
    return { state: local, database: database(stateEnv, fromVariable(stateEnv, env), cwd, env) }
  return isStateUrl(state) ? { state: local, database: database('state', state, folder, env) } : { state: local }
}

function fromVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const url = env[name]
  if (url) return url
  throw new AudienceError({
    code: 'no-state-url',
    kind: 'invalid',
    message: `the environment variable ${name}, which stateEnv names, is not set`,
    hint: `set it to the URL of the database: ${name}=postgres://audience@db.example.com/audience`,
  })
}

function database(
  source: string,
  url: string,
  folder: string,
  { PGPASSWORD }: Readonly<Record<string, string | undefined>>,
): DatabaseAddress {
  const found = readDatabaseUrl(url, folder)
  if ('url' in found) return { ...found, passwords: [...found.passwords, ...(PGPASSWORD ? [PGPASSWORD] : [])] }
  const { message, hint } = found
  throw invalidError('wrong-state-url', `${source}: ${message}`, hint)
}

/** Checks what the schema of audience.yaml cannot express about the state; paths are relative to `folder`. */
export function checkStateConfig(root: DocumentNode, folder: string, reporter: DiagnosticCollector): void {
  const state = childOf(root, 'state')
  const url = textOf(state)
  if (!state || url === undefined || !isStateUrl(url)) return
  const stateEnv = childOf(root, 'stateEnv')
  if (stateEnv) {
    const hint = 'keep one of them; beside stateEnv, `state` can name the folder for the files of this machine'
    reporter.wrongValue('state and stateEnv name two databases', stateEnv, hint)
  }
  if (passwordIn(url) !== undefined) {
    const message = 'the URL has a password, and a password does not belong in a file of the project'
    reporter.wrongValue(message, state, PASSWORD_HINT)
    return
  }
  const found = readDatabaseUrl(url, folder)
  if ('message' in found) reporter.error({ code: 'wrong-value', ...found }, state)
}

const PASSWORD_HINT =
  'remove it; put it in the file that PGPASSFILE names or in PGPASSWORD, or use stateEnv to name the variable with the whole URL'
