import type { RecordedService } from '../../core/service-ref.ts'

/** What claims belong to: the service, whatever the profile is called; without a known service, the profile. */
export function claimScope({ service, profile }: RecordedService): string {
  return service === undefined ? `profile ${profile}` : `service ${service}`
}
