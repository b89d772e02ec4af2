import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { removeEnded } from '../../../src/engine/distributed/care-for-others.ts'
import { createDbos, type DbosPackage, PROTOCOL } from '../../../src/engine/distributed/dbos.ts'

interface Logger {
  readonly warn: (entry: unknown) => void
}

/** A client of a DBOS whose answers come from the test, and the log of DBOS. */
async function fakeDbos(client: object, main: object = {}, queue = 'q') {
  const logged: string[] = []
  let logger: Logger | undefined
  const created: object[] = []
  const create = async (given: { logger: Logger }) => {
    created.push(given)
    logger = given.logger
    return client
  }
  const dbos = await createDbos({
    sdk: { DBOS: main, DBOSClient: { create } } as unknown as DbosPackage,
    pool: {} as Pool,
    url: 'postgresql://nowhere',
    executor: 'e',
    protocol: 1,
    queue,
    log: (text) => logged.push(text),
  })
  return { dbos, logged, created, warn: (entry: unknown) => logger?.warn(entry) }
}

test('what DBOS warns of is logged, but not once this process leaves its runs to others', async () => {
  const left = Promise.withResolvers<void>()
  const { dbos, logged, warn } = await fakeDbos({}, { shutdown: () => left.promise })
  warn(new Error('slow'))
  warn('slower')
  const shutdown = dbos.shutdown(0)
  warn('1 workflow is pending')
  left.resolve()
  await shutdown
  warn('1 workflow is pending')
  expect(logged).toEqual(['slow', 'slower'])
})

test.each([[[]], [['a']], [['a', 'b']]])(
  'of the ended workflows %j all are removed, and nothing else is asked for',
  async (ids) => {
    const deleted: unknown[] = []
    const { dbos } = await fakeDbos({
      listWorkflows: async () => ids.map((workflowID) => ({ workflowID })),
      deleteWorkflows: async (which: unknown) => void deleted.push(which),
    })
    await dbos.removeEnded(new Date())
    expect(deleted).toEqual(ids.length > 0 ? [ids] : [])
  },
)

test('ended workflows are gone when their removal ends, and a failure of it is told', async () => {
  const deletion = Promise.withResolvers<void>()
  const deleted: unknown[] = []
  const client = {
    listWorkflows: async () => [{ workflowID: 'a' }, { workflowID: 'b' }],
    deleteWorkflows: (ids: unknown) => {
      deleted.push(ids)
      return deletion.promise
    },
  }
  const { dbos } = await fakeDbos(client)
  const removal = dbos.removeEnded(new Date())
  deletion.reject(new Error('away'))
  await expect(removal).rejects.toThrow('away')
  expect(deleted).toEqual([['a', 'b']])
})

test('workflows are kept for some time after their end', async () => {
  const asked: Date[] = []
  const removal = { removeEnded: async (before: Date) => void asked.push(before) }
  const now = Date.parse('2026-11-28T12:00:00Z')
  await removeEnded({ dbos: removal, clock: { now: () => now } } as unknown as Parameters<typeof removeEnded>[0])
  expect(asked.map((before) => before.getTime() < now)).toEqual([true])
})

test('runs are queued anew as their workflows need it: rewound, resumed, or given to DBOS once more', async () => {
  const asked: unknown[][] = []
  const note =
    (act: string) =>
    async (what: unknown, { queueName = '' }: { queueName?: string } = {}) =>
      void asked.push([act, what, queueName])
  const { dbos } = await fakeDbos({
    listWorkflows: async () => [
      { workflowID: 'ended', status: 'SUCCESS', applicationVersion: 'older' },
      { workflowID: 'older', status: 'PENDING', applicationVersion: 'older' },
    ],
    ...{ cancelWorkflow: note('cancel'), resumeWorkflows: note('resume'), rewindWorkflow: note('rewind') },
    enqueue: async ({ workflowID, queueName }: { workflowID: string; queueName: string }) =>
      void asked.push(['enqueue', workflowID, queueName]),
  })
  await dbos.requeue(['ended', 'older', 'gone'], 'to')
  expect(asked.splice(0)).toEqual([
    ['resume', ['older'], 'to'],
    ['rewind', 'ended', 'to'],
    ['enqueue', 'gone', 'to'],
  ])
  await dbos.requeue(['ended', 'older', 'gone'], 'to', { adopts: true })
  expect(asked).toEqual([
    ['cancel', 'older', ''],
    ['rewind', 'ended', 'to'],
    ['rewind', 'older', 'to'],
    ['enqueue', 'gone', 'to'],
  ])
})

test.each([
  ['own-e', 100],
  ['q', 250],
])('the runs of queue %s are looked for every %s ms', async (queue, minPollingIntervalMs) => {
  const asked: unknown[][] = []
  const note =
    (name: string) =>
    async (...values: unknown[]) =>
      void asked.push([name, ...values])
  const { dbos, created } = await fakeDbos(
    { registerQueue: note('registerQueue') },
    { registerWorkflow: note('registerWorkflow'), setConfig: note('setConfig'), launch: note('launch') },
    queue,
  )
  const work = async () => undefined
  await dbos.launch(work)
  expect(asked).toEqual([
    ['registerQueue', queue, { minPollingIntervalMs, onConflict: 'never_update' }],
    ['registerWorkflow', work, { name: 'run', maxRecoveryAttempts: 1e9 }],
    [
      'setConfig',
      expect.objectContaining({ executorID: 'e', applicationVersion: 'audience-1', listenQueues: [queue] }),
    ],
    ['launch'],
  ])
  // The role of the state has the rights to tables; the worker's role has none.
  expect(asked[2]?.[1]).toMatchObject({ name: 'audience', useListenNotify: false, runMigrations: false })
  expect(created).toMatchObject([{ applicationName: 'audience', systemDatabaseUrl: 'postgresql://nowhere' }])
})

const missing = (code: string) => Object.assign(new Error('relation "dbos.queues" does not exist'), { code })

test.each([
  ['a table is missing', missing('42P01'), 'state-not-migrated'],
  ['the schema is missing', missing('3F000'), 'state-not-migrated'],
  ['it is older', new Error('DBOS requires 12, found 9'), 'state-not-migrated'],
  ['the database is away', missing('57P01'), '57P01'],
  ['something else is not an error', 'away', undefined],
])('tables of DBOS: %s', async (_what, error, code) => {
  const calm = async () => undefined
  const failing = async () => Promise.reject(error)
  for (const fails of ['registerQueue', 'launch']) {
    const main = { registerWorkflow: () => undefined, setConfig: () => undefined, launch: calm }
    const { dbos } = await fakeDbos(
      { registerQueue: fails === 'registerQueue' ? failing : calm },
      { ...main, launch: fails === 'launch' ? failing : calm },
    )
    const failure = await dbos.launch(calm).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (code === undefined) expect(failure).toBe(error)
    else expect(failure).toMatchObject({ code })
  }
})

test('where runs are: given to a process, waiting for one or for all, ended, or of another protocol', async () => {
  const listed: object[] = []
  const ready = { status: 'ENQUEUED', queueName: 'q', applicationVersion: 'audience-1' }
  const { dbos } = await fakeDbos({
    listWorkflows: async (filter: object) => {
      listed.push(filter)
      return [
        { workflowID: 'given', ...ready, status: 'PENDING', executorId: 'other' },
        { workflowID: 'waits', ...ready, executorId: 'before' },
        { workflowID: 'elsewhere', ...ready, queueName: 'p' },
        { workflowID: 'own', ...ready, queueName: 'own-x' },
        { workflowID: 'older', ...ready, applicationVersion: 'audience-0' },
        { workflowID: 'bare', status: 'ENQUEUED' },
        ...['SUCCESS', 'ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'].map((status) => ({
          ...{ workflowID: status, ...ready, status },
        })),
      ]
    },
  })
  const nowhere = { isEnded: false, executor: undefined, isQueuedHere: false }
  const ended = { ...nowhere, isEnded: true }
  expect(Object.fromEntries(await dbos.whereAre(['given']))).toEqual({
    given: { ...nowhere, executor: 'other' },
    waits: { ...nowhere, isQueuedHere: true },
    elsewhere: nowhere,
    own: { ...nowhere, executor: 'x' },
    older: nowhere,
    bare: nowhere,
    ...{ SUCCESS: ended, ERROR: ended, CANCELLED: ended, MAX_RECOVERY_ATTEMPTS_EXCEEDED: ended },
  })
  expect(listed).toEqual([{ workflowIDs: ['given'], loadInput: false, loadOutput: false }])
})

test('the runs of a process are those that it was given and those in its own queue', async () => {
  const listed: Record<string, unknown>[] = []
  const { dbos } = await fakeDbos({
    listWorkflows: async (filter: Record<string, unknown>) => {
      listed.push(filter)
      return [{ workflowID: `r${listed.length}` }]
    },
  })
  expect(await dbos.runsOf('x')).toEqual(['r1', 'r2'])
  expect(await dbos.ofProtocols([1, 2])).toEqual(['r3'])
  expect(listed).toMatchObject([
    { executorId: 'x', status: 'PENDING' },
    { queueName: 'own-x', status: 'ENQUEUED' },
    { applicationVersion: ['audience-1', 'audience-2'], status: 'ENQUEUED' },
  ])
})

test('a run is queued in the transaction that records it, and a queue goes with its process', async () => {
  const asked: unknown[][] = []
  const client = {
    async enqueueInTransaction(
      connection: { query: (text: string, values?: unknown[]) => unknown },
      ...rest: unknown[]
    ) {
      asked.push([await connection.query('INSERT', [1]), ...rest])
    },
    deleteQueue: async (name: string) => void asked.push(['delete', name]),
    destroy: async () => void asked.push(['destroy']),
  }
  const { dbos } = await fakeDbos(client, { shutdown: async (how: object) => void asked.push(['shutdown', how]) })
  const query = async (text: string, values?: readonly unknown[]) => [text, values]
  await dbos.enqueue(query as unknown as Parameters<typeof dbos.enqueue>[0], 'r')
  await dbos.removeQueue('x')
  await dbos.shutdown(7)
  await dbos.close()
  const workflow = { workflowName: 'run', queueName: 'q', appVersion: 'audience-1', workflowID: 'r' }
  expect(asked).toEqual([
    [['INSERT', [1]], workflow, 'r'],
    ['delete', 'own-x'],
    ['shutdown', { deregister: true, workflowCompletionTimeoutMS: 7 }],
    ['destroy'],
  ])
})

test('of the workflows that ended before a time a thousand are removed at once', async () => {
  const listed: object[] = []
  const { dbos } = await fakeDbos({
    listWorkflows: async (filter: object) => {
      listed.push(filter)
      return []
    },
  })
  await dbos.removeEnded(new Date(0))
  expect(listed).toMatchObject([{ completedBefore: '1970-01-01T00:00:00.000Z', limit: 1000 }])
})

test('runs have the protocol that the databases of users hold', () => {
  // Raise it only when older code must not read the runs of newer code: an upgrade then needs a special procedure.
  expect(PROTOCOL).toBe(1)
})
