import { dirname } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import type { ProfileValues } from '../core/profile-values.ts'
import { LOCAL_PROFILE } from '../core/service-ref.ts'
import { violationsOf } from '../core/validation.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, textOf } from '../document/document-node.ts'
import { toPlain } from '../document/plain-value.ts'
import { readYaml } from '../document/read-yaml.ts'
import { reportViolations, type ViolationTexts } from '../document/report-violations.ts'
import { validators } from '../generated/validators.ts'
import { requireOwnFolder } from '../platform/own-folder.ts'
import type { ConfigSource } from './choose-service.ts'
import { type Config, configSchema, PATH_PATTERN } from './config-schema.ts'
import { BASE_PATH_PATTERN, checkConsole } from './console-config.ts'
import { withoutPasswords } from './database-url.ts'
import { CHECK_PATTERN, checkHeartbeats } from './heartbeats-config.ts'
import { checkLists, listLimitsOf } from './lists-config.ts'
import { checkStateConfig } from './locate-state.ts'
import { ADDRESS_PATTERN, checkNotify } from './notify-config.ts'
import { checkPipelines } from './pipelines-config.ts'
import { checkPolicyConfig, policyOf } from './policy-of.ts'
import { MEMBERSHIP_PATTERN, privacyOf } from './privacy-config.ts'
import { allProfiles, checkProfileInputs, profileValues, withExactInputs } from './profile-values.ts'
import { type ConfigFile, readConfig } from './read-config.ts'
import { type CommandSources, pipelinesOf, profileNamed, profileNameOf, resolveSettings } from './resolve-settings.ts'
import { channelNames, type Settings } from './settings.ts'
import { checkSourcesConfig } from './sources-config.ts'

/**
 * The settings of a command: flags override the environment, which overrides the configuration (see `readConfig`).
 * Throws an AudienceError of the kind `invalid` if one of them cannot be used, or if others could have written to the
 * state folder. Does not throw if it is unclear which service is meant: `service` says so, because most commands need
 * no service.
 */
export function loadSettings(sources: CommandSources): Settings {
  const settings = resolveSettings({ ...sources, ...configOf(readConfig(sources.env, sources.cwd)) })
  requireOwnFolder(settings.state)
  return settings
}

/** A configuration that was found, in the form that `resolveSettings` expects. */
export function configOf(found: ConfigFile | undefined): ConfigSource {
  if (!found) return { config: {}, file: undefined }
  return { config: parseConfig(found.text, found.file), file: { path: found.file, isNamed: found.by === 'name' } }
}

const CONFIG_TEXTS: ViolationTexts = {
  top: 'at the top of a configuration',
  patterns: {
    [ADDRESS_PATTERN]: 'must be an e-mail address such as data-team@example.com',
    [BASE_PATH_PATTERN]: 'must begin and end with /, such as /tools/audience/',
    [PATH_PATTERN]: 'must begin with / and have no query',
    [CHECK_PATTERN]: 'must be lower-case letters, digits, - and _',
    [MEMBERSHIP_PATTERN]: 'must be { keep: 30d }, counts or none',
  },
}

/** Throws InvalidDocumentError with all problems in the file. */
export function parseConfig(text: string, file: string): Config {
  // A file that contains only comments is valid and empty.
  if (text.split(/[\r\n]/).every((line) => /^\s*(#|$)/.test(line))) return {}
  const shown = withoutPasswords(text)
  const reporter = new DiagnosticCollector(file, shown)
  const root = readYaml(text, reporter)
  const value = root && toPlain(root)
  if (root) {
    const violations = violationsOf(validators.config, value)
    reportViolations({ root, schema: configSchema, violations, texts: CONFIG_TEXTS }, reporter)
    checkProfiles(root, reporter)
    checkNotify(root, reporter)
    checkHeartbeats(root, reporter)
    checkSourcesConfig(root, reporter)
    checkPipelines(root, reporter)
    checkLists(root, reporter)
    checkConsole(root, reporter)
    checkStateConfig(root, dirname(file), reporter)
    if (!reporter.hasErrors) checkPolicyConfig(root, value as Config, reporter)
  }
  if (reporter.hasErrors) throw new InvalidDocumentError(file, shown, reporter.diagnostics())
  // The schema has just validated it.
  return root ? withExactInputs(value as Config, root) : {}
}

/** The settings that documents depend on. */
export interface DocumentSettings extends Pick<Settings, 'policy' | 'lists' | 'privacy'> {
  /** The names of the channels; undefined without a configuration. */
  readonly channels: readonly string[] | undefined
  /** The values of the chosen profile, or of all profiles if all were chosen. */
  readonly profiles: readonly [ProfileValues, ...ProfileValues[]]
  /** Absolute path of the folder of the pipelines. */
  readonly pipelines: string
  readonly found: ConfigFile | undefined
}

/** The settings that documents depend on. Throws an AudienceError for an unknown profile. */
export function documentSettings(
  { env, cwd }: Pick<CommandSources, 'env' | 'cwd'>,
  chosen: { profile?: string | undefined } | 'all' = {},
): DocumentSettings {
  const found = readConfig(env, cwd)
  const { config } = configOf(found)
  const file = found?.file
  const [first = LOCAL_PROFILE, ...others] =
    chosen === 'all' ? allProfiles(config) : [profileNameOf({ profile: chosen.profile }, env, config)]
  const valuesOf = (name: string) => {
    profileNamed(name, config, file)
    return profileValues(name, config, file)
  }
  const folder = file === undefined ? cwd : dirname(file)
  return {
    channels: found && channelNames(config),
    policy: policyOf(config, file),
    profiles: [valuesOf(first), ...others.map(valuesOf)],
    pipelines: pipelinesOf(config, folder),
    privacy: privacyOf(config.privacy, folder),
    lists: listLimitsOf(config.lists),
    found,
  }
}

/**
 * Checks what the schema of audience.yaml cannot express about profiles: the name in `profile`, and what `local` may
 * contain.
 */
function checkProfiles(root: DocumentNode, reporter: DiagnosticCollector): void {
  const profiles = childOf(root, 'profiles')
  const names = [LOCAL_PROFILE, ...entriesOf(profiles).map(([name]) => name)]
  const profile = childOf(root, 'profile')
  const name = textOf(profile)
  if (profile && name !== undefined && !names.includes(name)) {
    const hint = didYouMean(name, names) ?? `add ${name} under \`profiles\``
    reporter.error({ code: 'unknown-profile', message: `there is no profile ${name}`, hint }, profile)
  }
  for (const [, { value: one }] of entriesOf(profiles)) checkProfileInputs(one, reporter)
  for (const [key, { key: at }] of entriesOf(childOf(profiles, LOCAL_PROFILE))) {
    if (key === 'limits' || key === 'inputs') continue
    const message = `${LOCAL_PROFILE} is the embedded service, which has no ${key}`
    reporter.wrongValue(message, at, 'give your own service another name')
  }
}
