import { invalidError } from './errors.ts'

/** The service of a run, and the profile that named it, because other profiles have other tokens. */
export interface ServiceRef {
  readonly profile: string
  /** Its base URL without a trailing slash, or `embedded:` and the real path of the embedded service's folder. */
  readonly service: string
}

/** The recorded service of a run. Runs in the first two versions of the state have no `service`, so it is unknown. */
export interface RecordedService {
  readonly profile: string
  readonly service?: string
}

/** The service of this process. It decides which runs the process may work on. */
export interface ServiceAtHand extends RecordedService {
  /**
   * Whether a person allowed runs of other services to continue here (`--other-service`). From then on these runs
   * belong to this service.
   */
  readonly takesOthers?: boolean
}

/**
 * The profile of the embedded service. A run at that service has another profile if the service was named only by
 * AUDIENCE_BASE_URL.
 */
export const LOCAL_PROFILE = 'local'

const EMBEDDED = 'embedded:'

/** The embedded service of a folder, which is a real path. */
export function embeddedService(folder: string): string {
  return `${EMBEDDED}${folder}`
}

/** Whether the people at the service are fictitious, like those of the embedded service. */
export function isSynthetic({ service }: RecordedService): boolean {
  return service?.startsWith(EMBEDDED) ?? false
}

/** A note about a service's figures, appended to its name; empty for a real service. */
export function syntheticNote(service: RecordedService): string {
  return isSynthetic(service) ? ' (synthetic people and figures)' : ''
}

/** A service in words for people: `https://audience.example.com/p/1001 (profile production)`. */
export function describeService({ profile, service }: RecordedService): string {
  if (service === undefined) return `the service of profile ${profile}`
  if (service.startsWith(EMBEDDED)) return `the embedded service in ${service.slice(EMBEDDED.length)}`
  return profile === LOCAL_PROFILE ? service : `${service} (profile ${profile})`
}

/** If a run's service is unknown, only its profile is compared. */
export function isOfService(run: RecordedService, here: RecordedService): boolean {
  return run.profile === here.profile && (run.service === undefined || run.service === here.service)
}

/**
 * Why commands that use the service `here` refuse a run, and which option to add so that they accept it; undefined if
 * they do not refuse it.
 */
export function elsewhere(run: RecordedService, here: RecordedService): string | undefined {
  if (isOfService(run, here)) return undefined
  return `it belongs to ${describeService(run)}: ${waysTo(run)}, or --other-service to use ${describeService(here)}`
}

/** Throws `other-service`, which names both services, if a run belongs to a service other than the given one. */
export function requireSameService(run: RecordedService & { runId: string }, here: RecordedService): void {
  if (isOfService(run, here)) return
  throw invalidError(
    'other-service',
    `run ${run.runId} belongs to ${describeService(run)}; this command uses ${describeService(here)}; nothing was sent`,
    `${waysTo(run)}; --other-service uses this command's service anyway, with the ids from the other service`,
  )
}

function waysTo({ profile, service }: RecordedService): string {
  if (service === undefined || (profile !== LOCAL_PROFILE && !service.startsWith(EMBEDDED)))
    return `give --profile ${profile}`
  return service.startsWith(EMBEDDED)
    ? `give --profile ${LOCAL_PROFILE}, with the same state folder`
    : `set AUDIENCE_BASE_URL=${service} and AUDIENCE_TOKEN`
}
