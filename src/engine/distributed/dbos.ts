import type { Pool } from 'pg'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { packageMissing } from '../../core/package-missing.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { sha256 } from '../../core/sha256.ts'
import type { Query } from '../../state/postgres/database.ts'
import { withPasswordOfFile } from '../../state/postgres/password-file.ts'
import { OWN_QUEUE } from '../../state/postgres/worker-rows.ts'

/**
 * The version of records and tables as the engine understands them. It is raised only when older code must not read the
 * runs of newer code.
 */
export const PROTOCOL = 1
/**
 * Each run is one workflow with this name. The workflow has no steps, because the records of the run are all that it
 * needs.
 */
const WORKFLOW = 'run'
const APPLICATION = 'audience'
/** A run may be taken up any number of times. */
const NO_LIMIT = 1e9
const SHARED_POLL_MS = 250
const OWN_POLL_MS = 100
const ENDED = ['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'] as const
const MOST_REMOVED = 1000

/** The package of DBOS. It is optional, and loaded only if the state is a database. */
export type DbosPackage = Pick<typeof import('@dbos-inc/dbos-sdk'), 'DBOS' | 'DBOSClient'>

/** The part of DBOS that this engine uses: which process works on which run. A workflow has the id of its run. */
export interface Dbos {
  /**
   * From now on this process gets runs. `work` works on a run and must never reject. While it is pending, the run
   * belongs to this process.
   */
  launch(work: (runId: string) => Promise<void>): Promise<void>
  /** Adds a run to its queue, within a transaction. */
  enqueue(query: Query, runId: string): Promise<void>
  /**
   * Puts runs into a queue, whatever the state of their workflows. Runs of an older protocol keep their protocol,
   * unless `adopts` is set.
   */
  requeue(runIds: readonly string[], queue: string, options?: { adopts: boolean }): Promise<void>
  /** The runs that a process has or will get. */
  runsOf(executor: string): Promise<readonly string[]>
  /**
   * Where each of these runs is: the process that has it or will get it, or the fact that its workflow has ended. A run
   * without a workflow is missing from the map.
   */
  whereAre(runIds: readonly string[]): Promise<ReadonlyMap<string, Place>>
  /** The queued runs of these protocols. */
  ofProtocols(protocols: readonly number[]): Promise<readonly string[]>
  /** Removes workflows that ended before this time, because nobody needs them any more. */
  removeEnded(before: Date): Promise<void>
  removeQueue(executor: string): Promise<void>
  /** From now on this process gets no more runs. Waits at most `waitMs` until DBOS has recorded the ends of runs. */
  shutdown(waitMs: number): Promise<void>
  close(): Promise<void>
}

/** Where a run is, as DBOS knows it. */
interface Place {
  /** The process that has the run or will get it. */
  readonly executor: string | undefined
  readonly isEnded: boolean
  /** The run waits in the queue of this process or in the common queue, until a process gets it. */
  readonly isQueuedHere: boolean
}

export async function createDbos({
  sdk: { DBOS, DBOSClient },
  pool,
  url,
  executor,
  protocol,
  queue,
  log,
}: {
  sdk: DbosPackage
  pool: Pool
  url: string
  executor: string
  /** The version of records and tables. A process works only on runs of its own protocol. */
  protocol: number
  /** The queue that this process gets its runs from. */
  queue: string
  log: (text: string) => void
}): Promise<Dbos> {
  let isLeaving = false
  const note = (entry: unknown) => {
    if (!isLeaving) log(entry instanceof Error ? entry.message : String(entry))
  }
  const logger = { info: () => undefined, debug: () => undefined, warn: note, error: note }
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    applicationName: APPLICATION,
    logger,
  })
  const isOwn = queue === ownQueueOf(executor)
  const version = versionOf(protocol)
  const workflow = { workflowName: WORKFLOW, queueName: queue, appVersion: version }
  const list = (filter: Parameters<typeof client.listWorkflows>[0]) =>
    client.listWorkflows({ ...filter, loadInput: false, loadOutput: false })

  return {
    async launch(work) {
      const minPollingIntervalMs = isOwn ? OWN_POLL_MS : SHARED_POLL_MS
      await client.registerQueue(queue, { minPollingIntervalMs, onConflict: 'never_update' }).catch(notMigrated)
      DBOS.registerWorkflow(work, { name: WORKFLOW, maxRecoveryAttempts: NO_LIMIT })
      DBOS.setConfig({
        name: APPLICATION,
        systemDatabaseUrl: url,
        systemDatabasePool: pool,
        executorID: executor,
        applicationVersion: version,
        listenQueues: [queue],
        useListenNotify: false,
        runMigrations: false,
        logger,
      })
      await DBOS.launch().catch(notMigrated)
    },
    async enqueue(query, runId) {
      // DBOS sends its statements through this client, so they are part of the transaction.
      const connection = { query: async (text: string, values?: unknown[]) => query(text, values) }
      await client.enqueueInTransaction(
        connection as unknown as Parameters<typeof client.enqueueInTransaction>[0],
        { ...workflow, workflowID: runId },
        runId,
      )
    },
    async requeue(runIds, to, { adopts } = { adopts: false }) {
      const known = new Map((await list({ workflowIDs: [...runIds] })).map((found) => [found.workflowID, found]))
      const rewound: string[] = []
      const resumed: string[] = []
      for (const [runId, { status, applicationVersion }] of known) {
        const isEnded = ENDED.some((ended) => ended === status)
        const isAdopted = adopts && !isEnded && applicationVersion !== version
        if (isAdopted) await client.cancelWorkflow(runId)
        if (isEnded || isAdopted) rewound.push(runId)
        else resumed.push(runId)
      }
      if (resumed.length > 0) await client.resumeWorkflows(resumed, { queueName: to })
      for (const runId of rewound)
        await client.rewindWorkflow(runId, { startStep: 0, queueName: to, applicationVersion: version })
      for (const runId of runIds)
        if (!known.has(runId)) await client.enqueue({ ...workflow, queueName: to, workflowID: runId }, runId)
    },
    async runsOf(other) {
      const [given, waiting] = await Promise.all([
        list({ executorId: other, status: 'PENDING' }),
        list({ queueName: ownQueueOf(other), status: 'ENQUEUED' }),
      ])
      return [...given, ...waiting].map(({ workflowID }) => workflowID)
    },
    async whereAre(runIds) {
      const found = await list({ workflowIDs: [...runIds] })
      return new Map(
        found.map(({ workflowID, status, executorId, queueName = '', applicationVersion }) => {
          const executor = status === 'PENDING' ? executorId : ownerOf(queueName)
          const isEnded = ENDED.some((ended) => ended === status)
          const isQueuedHere = status === 'ENQUEUED' && queueName === queue && applicationVersion === version
          return [workflowID, { isEnded, executor, isQueuedHere }]
        }),
      )
    },
    ofProtocols: async (protocols) =>
      (await list({ applicationVersion: protocols.map(versionOf), status: 'ENQUEUED' })).map(
        ({ workflowID }) => workflowID,
      ),
    async removeEnded(before) {
      const filter = { status: [...ENDED], completedBefore: before.toISOString(), limit: MOST_REMOVED }
      const ended = await list(filter)
      if (ended.length > 0) await client.deleteWorkflows(ended.map(({ workflowID }) => workflowID))
    },
    removeQueue: (other) => client.deleteQueue(ownQueueOf(other)),
    async shutdown(waitMs) {
      // Otherwise DBOS would warn about runs that this process leaves to others.
      isLeaving = true
      await DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: waitMs })
    },
    close: () => client.destroy(),
  }
}

/**
 * Thrown if DBOS's tables are missing or too old. PostgreSQL reports SQLSTATE 42P01 or 3F000, or DBOS reports its own
 * error.
 */
function notMigrated(error: unknown): never {
  const isMissing = codeOf(error) === '42P01' || codeOf(error) === '3F000'
  const isOld = /requires \d+/.test(messageOf(error))
  if (!isMissing && !isOld) throw error
  throw new AudienceError({
    code: 'state-not-migrated',
    kind: 'invalid',
    message: 'the tables of DBOS are missing from the database, or are older than this version needs',
    hint: 'create or upgrade them once, with a role that may do so: audience state migrate',
    cause: error,
  })
}

function versionOf(protocol: number): string {
  return `${APPLICATION}-${protocol}`
}

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

/** Loads the package. Throws `package-missing`. */
export async function loadDbos(): Promise<DbosPackage> {
  try {
    return await import('@dbos-inc/dbos-sdk')
  } catch (error) {
    throw packageMissing('@dbos-inc/dbos-sdk', error)
  }
}

/** Creates or upgrades the tables of DBOS in the schema `dbos`. */
export async function migrateDbos(url: string): Promise<void> {
  await loadDbos()
  // DBOS.migrate is not used, because it writes to standard output.
  const { migrateSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database')
  const { GlobalLogger } = await import('@dbos-inc/dbos-sdk/internal/telemetry/logs')
  const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} }
  await migrateSystemDatabase(withPasswordOfFile(url), new GlobalLogger(undefined, { logger: silent }))
}
