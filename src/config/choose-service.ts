import { parseBaseUrl } from '../adapter/base-url.ts'
import { AudienceError } from '../core/errors.ts'
import { embeddedService, LOCAL_PROFILE, type ServiceRef } from '../core/service-ref.ts'
import { realPath } from '../platform/real-path.ts'
import type { Config, Profile } from './config-schema.ts'
import type { KnownService, ServiceChoice, Settings } from './settings.ts'

/** A chosen profile, and what chose it. `run`: it is the profile of an earlier run. */
export interface ChosenProfile {
  readonly name: string
  readonly by: 'flag' | 'run' | 'environment' | 'file'
}

export interface ConfigSource {
  readonly config: Config
  /** The configuration file; paths in the configuration are relative to it. */
  readonly file: { readonly path: string; readonly isNamed: boolean } | undefined
}

/**
 * The service to use. It is the embedded one if that was chosen by name, or if nothing names any service. A token,
 * profiles or an explicitly named configuration show that another service is intended. In that case, that service must
 * be named explicitly.
 */
export function chooseService(
  sources: ConfigSource & {
    chosen: ChosenProfile | undefined
    /** The profile, with the values of the environment. */
    profile: Profile
    env: Readonly<Record<string, string | undefined>>
    embedded: Extract<KnownService, { kind: 'embedded' }>
  },
): ServiceChoice {
  const { chosen, profile, config, file, env, embedded } = sources
  const { AUDIENCE_BASE_URL: baseUrl, AUDIENCE_TOKEN: token } = env
  if (chosen?.name === LOCAL_PROFILE) {
    if (chosen.by === 'flag') return embedded
    if (chosen.by === 'environment' && baseUrl) {
      return unclear(
        `AUDIENCE_PROFILE=${LOCAL_PROFILE} names the embedded service, but AUDIENCE_BASE_URL names another service`,
        'remove one of them from the environment',
      )
    }
  }
  if (profile.baseUrl) return { kind: 'remote', baseUrl: profile.baseUrl }
  if (chosen?.name === LOCAL_PROFILE) return embedded
  if (chosen) {
    return unclear(
      `profile "${chosen.name}" has no baseUrl`,
      `add to it: baseUrl: ${EXAMPLE_URL}; or set AUDIENCE_BASE_URL; the embedded service is the profile ${LOCAL_PROFILE}`,
    )
  }
  if (token) {
    return unclear(
      'AUDIENCE_TOKEN is set, but nothing says which service it is for',
      `set AUDIENCE_BASE_URL=${EXAMPLE_URL}; for the embedded service give --profile ${LOCAL_PROFILE}`,
    )
  }
  const names = Object.keys(config.profiles ?? {})
  if (names.length > 0) {
    return unclear(
      `${file?.path} has profiles (${names.join(', ')}), but none of them is chosen`,
      `add to it: profile: ${names[0]}; or give --profile ${names[0]}; "${LOCAL_PROFILE}" is the embedded service`,
    )
  }
  if (file?.isNamed) {
    return unclear(
      `${file.path} does not name a service`,
      `add to it: profile: ${LOCAL_PROFILE} for the embedded service; for another one, write \`profiles\` and \`profile\`, or set AUDIENCE_BASE_URL`,
    )
  }
  return embedded
}

const EXAMPLE_URL = 'https://audience.example.com/p/1001'

function unclear(message: string, hint: string): ServiceChoice {
  return { kind: 'unclear', problem: { code: 'unclear-service', kind: 'invalid', message, hint } }
}

/**
 * The service that settings name, as recorded with runs. Throws an AudienceError of the kind `invalid` if they name
 * none, or if the base URL is invalid.
 */
export function serviceOf({ profileName, service }: Pick<Settings, 'profileName' | 'service'>): ServiceRef {
  if (service.kind === 'unclear') throw new AudienceError(service.problem)
  return { profile: profileName, service: nameOf(service) }
}

/** The service that the profile itself names; undefined if it leaves this to the environment. */
export function serviceOfProfile({ profileService }: Pick<Settings, 'profileService'>): string | undefined {
  return profileService && nameOf(profileService)
}

function nameOf(service: KnownService): string {
  if (service.kind === 'embedded') return embeddedService(realPath(service.folder))
  const { origin, prefix } = parseBaseUrl(service.baseUrl)
  return origin + prefix
}
