import type { RecordedService } from '../../core/service-ref.ts'
import { sha256 } from '../../core/sha256.ts'

/** The queue of the runs at a service, for all processes that work with this service. */
export function queueOf({ profile, service = '' }: RecordedService): string {
  return `runs-${sha256(`${profile}\n${service}`).slice(0, 16)}`
}

/** The queue of the runs that one process alone works on, such as that of `audience run`. */
export function ownQueueOf(executor: string): string {
  return `own-${executor}`
}
