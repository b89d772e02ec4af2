import type { Redact } from '../../core/secrets.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import type { AddAct } from '../sql/audit.ts'

/** What everything that writes runs needs. */
export interface WritesDeps {
  readonly here: ServiceAtHand
  readonly redact: Redact
  readonly addAct: AddAct
}
