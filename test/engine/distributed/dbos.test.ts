import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { removeEnded } from '../../../src/engine/distributed/care-for-others.ts'
import { createDbos } from '../../../src/engine/distributed/dbos.ts'
import type { DbosPackage } from '../../../src/engine/distributed/load-dbos.ts'

interface Logger {
  readonly warn: (entry: unknown) => void
}

/** A client of a DBOS that the test answers for, and what DBOS logs. */
async function fakeDbos(client: object, main: object = {}) {
  const logged: string[] = []
  let logger: Logger | undefined
  const create = async (given: { logger: Logger }) => {
    logger = given.logger
    return client
  }
  const dbos = await createDbos({
    sdk: { DBOS: main, DBOSClient: { create } } as unknown as DbosPackage,
    pool: {} as Pool,
    url: 'postgresql://nowhere',
    executor: 'e',
    protocol: 1,
    queue: 'q',
    log: (text) => logged.push(text),
  })
  return { dbos, logged, warn: (entry: unknown) => logger?.warn(entry) }
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
