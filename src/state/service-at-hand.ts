import type { RecordedService } from '../core/service-ref.ts'

/** The service of this process. It decides which runs the process may work on. */
export interface ServiceAtHand extends RecordedService {
  /**
   * A person allowed runs of other services to continue here (`--other-service`); they belong to this service from then
   * on.
   */
  readonly takesOthers?: boolean
}
