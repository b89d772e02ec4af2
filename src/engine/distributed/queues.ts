import type { RecordedService } from '../../core/service-ref.ts'
import { sha256 } from '../../core/sha256.ts'
import { OWN_QUEUE } from '../../state/postgres/worker-rows.ts'

/** The queue of the runs at a service, for all processes that work with this service. */
export function queueOf({ profile, service = '' }: RecordedService): string {
  return `runs-${sha256(`${profile}\n${service}`).slice(0, 16)}`
}

/** The queue of the runs that one process alone works on, such as that of `audience run`. */
export function ownQueueOf(executor: string): string {
  return `${OWN_QUEUE}${executor}`
}

/** The process that alone gets runs from a queue; undefined for a queue of many. */
export function ownerOf(queue: string): string | undefined {
  return queue.startsWith(OWN_QUEUE) ? queue.slice(OWN_QUEUE.length) : undefined
}
