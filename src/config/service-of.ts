import { parseBaseUrl } from '../adapter/base-url.ts'
import { AudienceError } from '../core/errors.ts'
import { embeddedService, type ServiceRef } from '../core/service-ref.ts'
import { realPath } from '../platform/real-path.ts'
import type { KnownService, Settings } from './settings.ts'

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
