import { dirname, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError } from '../core/errors.ts'
import { readHostPattern } from '../core/host-pattern.ts'
import type { Config, Profile, SmtpConfig } from './config-schema.ts'
import { policyOf } from './policy-of.ts'
import type { Settings } from './settings.ts'

/** The profile where nothing says otherwise: the embedded service. */
const LOCAL_PROFILE = 'local'

/**
 * Flags over environment over file. `AUDIENCE_BASE_URL` and `AUDIENCE_TOKEN` replace what the profile says; they stand
 * alone as well. Throws an AudienceError for an unknown profile.
 */
export function resolveSettings(sources: {
  readonly config: Config
  /** Of the configuration; its paths are relative to it. */
  readonly file: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly flags: { readonly profile?: string }
}): Settings {
  const { config, file, env, cwd, flags } = sources
  const folder = file === undefined ? cwd : dirname(file)
  const profileName = flags.profile ?? env.AUDIENCE_PROFILE ?? LOCAL_PROFILE
  const named = profileNamed(profileName, config, file)
  return {
    profileName,
    profile: withEnvironment(named, env, folder),
    state: env.AUDIENCE_STATE ? resolve(cwd, env.AUDIENCE_STATE) : resolve(folder, config.state ?? '.audience'),
    pipelines: resolve(folder, config.pipelines ?? 'pipelines'),
    maxRuns: config.runs ?? 100,
    policy: policyOf(config, file),
    hosts: (config.hosts ?? []).flatMap((text) => readHostPattern(text) ?? []),
    ...(config.notify && { notify: config.notify }),
    ...(config.smtp && { smtp: withCaFile(config.smtp, folder) }),
  }
}

function profileNamed(name: string, config: Config, file: string | undefined): Profile {
  const profiles = config.profiles ?? {}
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  if (name === LOCAL_PROFILE) return {}
  throw new AudienceError({
    code: 'unknown-profile',
    kind: 'invalid',
    message: `there is no profile "${name}"${file === undefined ? ', because no audience.yaml was found' : ` in ${file}`}`,
    hint:
      didYouMean(name, [...Object.keys(profiles), LOCAL_PROFILE]) ?? 'add it under `profiles`, or leave --profile out',
  })
}

function withEnvironment(profile: Profile, env: Readonly<Record<string, string | undefined>>, folder: string): Profile {
  const { AUDIENCE_BASE_URL: baseUrl, AUDIENCE_TOKEN: token } = env
  const { tokenFile, ...rest } = profile
  const fromFile = { ...rest, ...(tokenFile !== undefined && { tokenFile: resolve(folder, tokenFile) }) }
  if (!baseUrl && !token) return fromFile
  const { limits } = fromFile
  return {
    ...(token
      ? { ...(fromFile.baseUrl !== undefined && { baseUrl: fromFile.baseUrl }), ...(limits && { limits }) }
      : fromFile),
    ...(baseUrl && { baseUrl }),
    ...(token && { tokenEnv: 'AUDIENCE_TOKEN' }),
  }
}

function withCaFile(smtp: SmtpConfig, folder: string): SmtpConfig {
  return smtp.caFile === undefined ? smtp : { ...smtp, caFile: resolve(folder, smtp.caFile) }
}
