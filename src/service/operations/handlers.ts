import type { Handlers } from '../call.ts'
import { activationHandlers } from './activations.ts'
import { fileHandlers } from './files.ts'
import { groupHandlers } from './groups.ts'
import { integrationHandlers } from './integrations.ts'
import { jobHandlers } from './jobs.ts'
import { matchHandlers } from './matches.ts'
import { partnerHandlers } from './partners.ts'
import { segmentHandlers } from './segments.ts'

/** The handler of each operation of the contract. */
export const handlers: Handlers = {
  ...segmentHandlers,
  ...matchHandlers,
  ...activationHandlers,
  ...fileHandlers,
  ...groupHandlers,
  ...partnerHandlers,
  ...integrationHandlers,
  ...jobHandlers,
}
