import type { Redact } from '../../core/secrets.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import type { AddAct } from '../sql/audit.ts'

/** What is needed by everything that writes runs. */
export interface WritesDeps {
  readonly here: ServiceAtHand
  readonly redact: Redact
  readonly addAct: AddAct
}
