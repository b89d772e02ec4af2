import { NO_SECRETS, openedRecord } from '../../core/create-sealing.ts'
import type { Redact } from '../../core/secrets.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import type { ReadableState, State } from '../state.ts'
import { type AddAct, createAuditLog } from './audit.ts'
import { createDeployments } from './deployments.ts'
import { createEnds } from './ends.ts'
import { createMadeThings } from './made-things.ts'
import { createMutes } from './mutes.ts'
import { createOccurrenceStore, type OccurrenceDialect } from './occurrences.ts'
import { createOutbox } from './outbox.ts'
import { createRemoteLedger } from './remote-ledger.ts'
import type { ReadWorks } from './run-reads.ts'
import { createStepMemory } from './step-memory.ts'
import type { Sql, Work } from './work.ts'

/** The parts of a state that are the same in every store, except for some SQL. */
export function createStores(
  sql: Sql,
  {
    redact,
    addAct,
    here,
    dialect,
    lock,
  }: {
    redact: Redact
    addAct: AddAct
    here: RecordedService
    dialect: OccurrenceDialect
    /** Locks a name until the transaction ends, if other processes can write at the same time. */
    lock?: (name: string) => Work<unknown>
  },
): Pick<State, 'occurrences' | 'ends' | 'outbox' | 'remote' | 'mutes' | 'deployments' | 'memory' | 'made' | 'audit'> {
  return {
    occurrences: createOccurrenceStore(sql, { addAct, ...dialect }),
    ends: createEnds(sql, { here, ...dialect }),
    outbox: createOutbox(sql, redact),
    remote: createRemoteLedger(sql, redact),
    mutes: createMutes(sql, { redact, addAct }),
    deployments: createDeployments(sql, { redact, addAct }),
    memory: createStepMemory(sql, { here }),
    made: createMadeThings(sql, { here, lock }),
    audit: createAuditLog(sql, addAct),
  }
}

/** Binds reads to a driver. `read` is the method of the driver. */
export function readsOf<Reads>(works: ReadWorks, read: (work: Work<unknown>) => unknown): Reads {
  const entries = Object.entries(works).map(([name, workOf]: [string, (...args: never[]) => Work<unknown>]) => [
    name,
    (...args: never[]) => read(workOf(...args)),
  ])
  // Each read takes the arguments of its work, and returns the driver's result.
  return Object.fromEntries(entries) as Reads
}

/** Reads for code that does not execute runs: in records, `***` stands for the secrets of their documents. */
export function readsForOthers(works: ReadWorks, read: (work: Work<unknown>) => unknown): ReadableState['runs'] {
  const reads = readsOf<ReadableState['runs']>(works, read)
  return {
    ...reads,
    records: async (runId, after) =>
      (await reads.records(runId, after)).map((stored) => openedRecord(stored, NO_SECRETS)),
  }
}
