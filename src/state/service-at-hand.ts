import type { RecordedService } from '../core/service-ref.ts'

/** The service of this process. It decides which runs the process may work on. */
export interface ServiceAtHand extends RecordedService {
  /**
   * Whether a person allowed runs of other services to continue here (`--other-service`). From then on these runs
   * belong to this service.
   */
  readonly takesOthers?: boolean
}
