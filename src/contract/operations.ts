import type { Static } from '../core/json-schema.ts'
import { activationOperations } from './activations.ts'
import { fileOperations } from './files.ts'
import { groupOperations } from './groups.ts'
import { integrationOperations } from './integrations.ts'
import { jobOperations } from './job.ts'
import { matchOperations } from './matches.ts'
import type { Operation } from './operation.ts'
import { partnerOperations } from './partners.ts'
import { segmentOperations } from './segments.ts'

/** Every operation of the Audience Data Service, by id. A new one needs an entry here and a handler in the service. */
export const operations = {
  ...segmentOperations,
  ...matchOperations,
  ...activationOperations,
  ...fileOperations,
  ...groupOperations,
  ...partnerOperations,
  ...integrationOperations,
  ...jobOperations,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/** The input of a call: all parameters flat, 64-bit ids as decimal strings. */
export type InputOf<Id extends OperationId> = Static<(typeof operations)[Id]['input']>

/** The result of a call; undefined if the service sends no body. */
export type OutputOf<Id extends OperationId> = (typeof operations)[Id]['output'] extends null
  ? undefined
  : Static<(typeof operations)[Id]['output']>

export function isOperationId(name: string): name is OperationId {
  return Object.hasOwn(operations, name)
}

/** The entry of an operation, without literal types. */
export function operationOf(id: OperationId): Operation {
  return operations[id]
}
