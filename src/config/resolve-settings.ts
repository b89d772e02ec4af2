import { dirname, resolve } from 'node:path'
import { didYouMean } from '../core/did-you-mean.ts'
import { DAY_MS } from '../core/duration.ts'
import { invalidError } from '../core/errors.ts'
import { readHostPattern } from '../core/host-pattern.ts'
import type { Policy } from '../core/policy.ts'
import type { Retention } from '../core/retention.ts'
import { LOCAL_PROFILE } from '../core/service-ref.ts'
import { type ChosenProfile, type ConfigSource, chooseService } from './choose-service.ts'
import type { Config, Profile, RetentionConfig } from './config-schema.ts'
import { consoleSettings } from './console-config.ts'
import { listLimitsOf } from './lists-config.ts'
import { locateState } from './locate-state.ts'
import type { SmtpConfig } from './notify-config.ts'
import { gitSettings } from './pipelines-config.ts'
import { policyOf, secretsIn } from './policy-of.ts'
import { privacyOf } from './privacy-config.ts'
import { profileValues } from './profile-values.ts'
import { durationOf } from './schema-parts.ts'
import { copiesFolder, embeddedFolder, type KnownService, releasesFolder, type Settings } from './settings.ts'
import { sourcesOf } from './sources-config.ts'

/** The settings on a command line. */
export interface SettingsFlags {
  readonly profile?: string
  /**
   * The profile of the run that the command is about. It takes precedence over the environment; a flag takes precedence
   * over it.
   */
  readonly runProfile?: string
}

/** The environment, the working directory and the flags that a command is started with. */
export interface CommandSources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly flags: SettingsFlags
}

/**
 * Flags override the environment, which overrides the file. `AUDIENCE_BASE_URL` and `AUDIENCE_TOKEN` replace the values
 * of the profile; they also work without a profile. Throws an AudienceError for an unknown profile.
 */
export function resolveSettings(sources: CommandSources & ConfigSource): Settings {
  const { config, file, env, cwd, flags } = sources
  const folder = file === undefined ? cwd : dirname(file.path)
  const chosen = chosenProfile(flags, env, config)
  const profileName = chosen?.name ?? LOCAL_PROFILE
  const named = absolutePaths(profileNamed(profileName, config, file?.path), folder)
  // If a flag chooses the embedded service, the service in the environment is ignored.
  const isEmbedded = chosen?.by === 'flag' && profileName === LOCAL_PROFILE
  const profile = isEmbedded ? named : withEnvironment(named, env)
  const state = locateState({ config, folder, env, cwd })
  const deployment = gitSettings(config.pipelines, folder)
  const embedded = { kind: 'embedded', folder: embeddedFolder(state) } as const
  const profileService = serviceOfProfile(profileName, named, embedded)
  const policy = policyOf(config, file?.path)
  return {
    profileName,
    isProfileChosen: chosen !== undefined,
    profile,
    service: chooseService({ chosen, profile, config, file, env, embedded }),
    profileService,
    ...state,
    values: profileValues(profileName, config, file?.path),
    pipelines: deployment ? releasesFolder(state) : pipelinesOf(config, folder),
    deployment,
    maxRuns: config.runs ?? 100,
    policy: { ...(deployment ? withReleases(policy, releasesFolder(state)) : policy), copies: copiesFolder(state) },
    retention: retentionOf(config.retention),
    sources: sourcesOf(config.sources, folder),
    lists: listLimitsOf(config.lists),
    privacy: privacyOf(config.privacy, folder),
    hosts: (config.hosts ?? []).flatMap((text) => readHostPattern(text) ?? []),
    console: consoleSettings(config.console, folder),
    notify: config.notify,
    heartbeats: config.heartbeats,
    secrets: secretsIn(config, env),
    smtp: config.smtp && withCaFile(config.smtp, folder),
  }
}

function chosenProfile(
  { profile, runProfile }: SettingsFlags,
  env: Readonly<Record<string, string | undefined>>,
  config: Config,
): ChosenProfile | undefined {
  if (profile !== undefined) return { name: profile, by: 'flag' }
  if (runProfile !== undefined) return { name: runProfile, by: 'run' }
  if (env.AUDIENCE_PROFILE) return { name: env.AUDIENCE_PROFILE, by: 'environment' }
  return config.profile === undefined ? undefined : { name: config.profile, by: 'file' }
}

/** The name of the profile that is used. */
export function profileNameOf(...chosen: Parameters<typeof chosenProfile>): string {
  return chosenProfile(...chosen)?.name ?? LOCAL_PROFILE
}

/** Absolute path of the folder of the pipelines; `folder` is the folder of the configuration. */
export function pipelinesOf({ pipelines }: Config, folder: string): string {
  return resolve(folder, typeof pipelines === 'string' ? pipelines : 'pipelines')
}

/** Adds the deployed releases to the policy, so that they may be used. */
function withReleases(policy: Policy, releases: string): Policy {
  return { ...policy, fileRoots: policy.fileRoots && [...policy.fileRoots, releases] }
}

/** Throws `unknown-profile`. */
export function profileNamed(name: string, config: Config, file: string | undefined): Profile {
  const profiles = config.profiles ?? {}
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  if (name === LOCAL_PROFILE) return {}
  throw invalidError(
    'unknown-profile',
    `there is no profile "${name}"${file === undefined ? ', because no audience.yaml was found' : ` in ${file}`}`,
    didYouMean(name, [...new Set([...Object.keys(profiles), LOCAL_PROFILE])]) ??
      'add it under `profiles`, or leave --profile out',
  )
}

function serviceOfProfile(name: string, { baseUrl }: Profile, embedded: KnownService): KnownService | undefined {
  if (name === LOCAL_PROFILE) return embedded
  return baseUrl === undefined ? undefined : { kind: 'remote', baseUrl }
}

function absolutePaths(profile: Profile, folder: string): Profile {
  return { ...profile, tokenFile: profile.tokenFile && resolve(folder, profile.tokenFile) }
}

function withEnvironment(profile: Profile, env: Readonly<Record<string, string | undefined>>): Profile {
  const { AUDIENCE_BASE_URL: baseUrl, AUDIENCE_TOKEN: token } = env
  const address = baseUrl || profile.baseUrl
  if (!token) return { ...profile, baseUrl: address }
  const { limits, paths } = profile
  return { limits, paths, baseUrl: address, tokenEnv: 'AUDIENCE_TOKEN' }
}

function retentionOf({ runs, keep = 20, occurrences, audit }: RetentionConfig = {}): Retention {
  return {
    runsMs: durationOf(runs, 90 * DAY_MS),
    keep,
    occurrencesMs: durationOf(occurrences, 400 * DAY_MS),
    auditMs: durationOf(audit, 400 * DAY_MS),
  }
}

function withCaFile(smtp: SmtpConfig, folder: string): SmtpConfig {
  return { ...smtp, caFile: smtp.caFile && resolve(folder, smtp.caFile) }
}
