import { activationOperations } from './activation-operations.ts'
import { clockOperations } from './clock-operations.ts'
import type { ControlOperation } from './control-operation.ts'
import { faultOperations } from './fault-operations.ts'
import { healthOperations } from './health-operations.ts'
import { jobOperations } from './job-operations.ts'
import { journalOperations } from './journal-operations.ts'
import { matchOperations } from './match-operations.ts'
import { participantOperations } from './participant-operations.ts'
import { segmentOperations } from './segment-operations.ts'
import { stateOperations } from './state-operations.ts'

/** Every operation of the control API, by its id. */
export const controlOperations = {
  ...healthOperations,
  ...stateOperations,
  ...clockOperations,
  ...jobOperations,
  ...participantOperations,
  ...journalOperations,
  ...segmentOperations,
  ...matchOperations,
  ...activationOperations,
  ...faultOperations,
} satisfies Readonly<Record<string, ControlOperation>>

export type ControlOperationId = keyof typeof controlOperations
