import type { RecordedService } from '../../core/service-ref.ts'
import { sha256 } from '../../core/sha256.ts'
import { OWN_QUEUE } from '../../state/postgres/worker-rows.ts'

/** The queue of the runs at a service, for all processes that work with this service. */
export function queueOf({ profile, service = '' }: RecordedService): string {
  return `runs-${sha256(`${profile}\n${service}`).slice(0, 16)}`
}

/** The queue of a process that works only on its own runs, such as `audience run`. */
export function ownQueueOf(executor: string): string {
  return `${OWN_QUEUE}${executor}`
}

/** The only process that gets runs from this queue; undefined if several processes share the queue. */
export function ownerOf(queue: string): string | undefined {
  return queue.startsWith(OWN_QUEUE) ? queue.slice(OWN_QUEUE.length) : undefined
}
