import type { RecordedService } from '../../core/service-ref.ts'

/** The service that a process works with, for telling whose runs it may work on. */
export interface ServiceAtHand extends RecordedService {
  /** A person said that runs of other services are to go on here (`--other-service`); they belong here from then on. */
  readonly takesOthers?: boolean
}
