import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDistributedEngine } from '../../../src/engine/distributed/open-distributed-engine.ts'
import type { DistributedDeps } from '../../../src/engine/distributed/sharing-engine.ts'
import { readTestPipeline, testStepTypes } from '../../support/pipelines.ts'
import { steppedClock } from '../../triggers/schedule/stepped-clock.ts'

/** The purpose of a statement. */
const PURPOSES: readonly (readonly [string, RegExp])[] = [
  ['register', /INSERT INTO audience\.workers/],
  ['beat', /WITH renewed/],
  ['expire', /DELETE FROM audience\.roles/],
  ['bury', /FOR UPDATE SKIP LOCKED/],
  ['sweep', /workers\.executor IS NULL OR/],
  ['protocols', /SELECT DISTINCT protocol/],
  ['messages', /FROM audience\.messages/],
  ['admit', /SELECT DISTINCT name/],
  ['records', /audience\.records/],
]

const CALM = { is_alive: true, is_keeper: false, some_expired: false, some_queued: false, is_draining: false }

/** A process whose database and DBOS belong to the test. The test records the calls of the process. */
async function opened({
  takes = 'all' as 'all' | 'own',
  beat = {} as Partial<Record<keyof typeof CALM, boolean>>,
  launch = async (): Promise<void> => undefined,
} = {}) {
  const clock = steppedClock(0)
  const asked: string[] = []
  const told = { ...CALM, ...beat }
  const held = { records: undefined as Promise<void> | undefined, bury: undefined as Promise<void> | undefined }
  /** The values of the last statements with this purpose. */
  const given = new Map<string, readonly unknown[]>()
  const log: unknown[] = []
  let work: ((runId: string) => Promise<void>) | undefined
  const query = async (text: string, values: readonly unknown[] = []) => {
    const [purpose] = PURPOSES.find(([, pattern]) => pattern.test(text)) ?? []
    if (purpose === undefined) return { rows: [], changes: 0 }
    asked.push(purpose === 'bury' && values[0] ? 'bury own' : purpose)
    given.set(purpose, values)
    if (purpose === 'records') await held.records
    if (purpose === 'bury') await held.bury
    if (purpose === 'beat' && !told.is_alive && told.is_keeper) throw new Error('connect ECONNREFUSED')
    return { rows: purpose === 'beat' ? [told] : [], changes: 0 }
  }
  const note = (name: string, answer: unknown) => async () => {
    asked.push(name)
    return answer
  }
  const client = {
    listWorkflows: note('workflows', []),
    registerQueue: note('queue', undefined),
    destroy: note('destroy', undefined),
  }
  const DBOS = {
    registerWorkflow: (given: typeof work) => {
      work = given
    },
    setConfig: () => undefined,
    launch,
    shutdown: async ({ workflowCompletionTimeoutMS }: { workflowCompletionTimeoutMS: number }) =>
      void asked.push(`shutdown ${workflowCompletionTimeoutMS}`),
  }
  const failed: unknown[] = []
  const deps = {
    state: {
      db: {
        query,
        rows: async (text: string, values?: readonly unknown[]) => (await query(text, values)).rows,
        row: async (text: string, values?: readonly unknown[]) => (await query(text, values)).rows[0],
        transaction: <T>(act: (own: typeof query) => Promise<T>) => act(query),
      },
      pool: {},
      redact: (text: string) => text,
      runs: {},
    },
    url: 'postgresql://nowhere',
    here: { profile: 'local' },
    machine: { host: 'host', pid: 1 },
    takes,
    version: '1',
    log: (event: unknown) => void log.push(event),
    sdk: { DBOS, DBOSClient: { create: async () => client } },
    clock: { ...clock, steady: clock.now },
    ...{ random: () => 0.5, stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {} },
    runStep: async () => ({}),
  } as unknown as DistributedDeps
  const engine = await openDistributedEngine(deps).catch((error: unknown) => {
    failed.push(error)
    return undefined
  })
  return {
    engine,
    failed,
    told,
    held,
    given,
    log,
    give: (runId: string) => void work?.(runId),
    /** The calls while time passes. */
    async pass(ms: number) {
      asked.length = 0
      await clock.pass(ms)
      return asked.filter((one) => !['messages', 'beat', 'records'].includes(one))
    },
    async asks(ms: number, what: string) {
      asked.length = 0
      await clock.pass(ms)
      return asked.filter((one) => one === what).length
    },
    asked,
  }
}

test('a process has its row before DBOS gives it runs, beats each second, and is nobody’s keeper at first', async () => {
  const { engine, asked, asks } = await opened()
  expect(asked).toEqual(['register', 'queue'])
  expect([engine?.isKeeper(), engine?.isDraining(), engine?.stuck(), engine?.load()]).toEqual([
    ...[false, false, []],
    { runs: 0, waits: 0 },
  ])
  expect(await asks(3000, 'beat')).toBe(3)
})

test('the keeper is told when it begins and when it ends, also who asks later', async () => {
  const { engine, told, pass } = await opened({ beat: { is_keeper: true } })
  const heard: string[] = []
  engine?.onKeeper(
    () => heard.push('begin'),
    () => heard.push('end'),
  )
  expect(heard).toEqual([])
  await pass(1000)
  engine?.onKeeper(
    () => heard.push('begin later'),
    () => heard.push('end later'),
  )
  expect([heard.splice(0), engine?.isKeeper()]).toEqual([['begin', 'begin later'], true])
  Object.assign(told, { is_keeper: false })
  await pass(1000)
  expect([heard, engine?.isKeeper()]).toEqual([['end', 'end later'], false])
})

test('each tenth heartbeat looks for lost runs, and the keeper tidies', async () => {
  const { told, pass } = await opened()
  expect(await pass(9000)).toEqual([])
  expect(await pass(1000)).toEqual(['sweep'])
  Object.assign(told, { is_keeper: true })
  expect(await pass(9000)).toEqual([])
  expect(await pass(1000)).toEqual(['sweep', 'protocols', 'workflows'])
})

test('a process takes over from others only once its own heartbeats went well for long enough', async () => {
  const { pass } = await opened({ beat: { some_expired: true } })
  expect(await pass(3000)).toEqual([])
  expect(await pass(1000)).toEqual(['bury'])
})

test('queued runs are admitted with each heartbeat that tells of some', async () => {
  const { told, pass } = await opened({ beat: { some_queued: true } })
  expect(await pass(2000)).toEqual(['admit', 'admit'])
  Object.assign(told, { some_queued: false })
  expect(await pass(2000)).toEqual([])
})

test('a process of its own runs cares for no others', async () => {
  const { pass } = await opened({ takes: 'own', beat: { some_expired: true, is_keeper: true, some_queued: true } })
  expect(new Set(await pass(12_000))).toEqual(new Set(['admit']))
})

test('messages are looked for three times a second, while it has a run', async () => {
  const { asks, give, held } = await opened()
  expect(await asks(3000, 'messages')).toBe(0)
  held.records = new Promise(() => undefined)
  give('r')
  expect(await asks(3000, 'messages')).toBe(10)
})

test.each(['all', 'own'] as const)(
  'a process of %s runs ends its lease, then gives what it has to others',
  async (takes) => {
    const { engine, asked, pass, held, give } = await opened({ takes })
    held.records = new Promise(() => undefined)
    give('r')
    asked.length = 0
    await engine?.stop(0)
    const tidied = takes === 'own' ? ['workflows'] : []
    expect(asked.filter((one) => one !== 'records')).toEqual(['expire', 'shutdown 0', 'bury own', ...tidied, 'destroy'])
    expect(await pass(20_000)).toEqual([])
  },
)

test('a process without runs lets DBOS record the last end before it goes', async () => {
  const { engine, asked } = await opened()
  asked.length = 0
  await engine?.stop(0)
  expect(asked).toEqual(['expire', 'shutdown 1000', 'bury own', 'destroy'])
})

test('what was opened is closed again if DBOS does not start', async () => {
  const { failed, asked, pass } = await opened({ launch: () => Promise.reject(new Error('away')) })
  expect(failed).toMatchObject([{ message: 'away' }])
  expect(asked).toEqual(['register', 'queue', 'shutdown 0', 'destroy', 'expire'])
  expect(await pass(20_000)).toEqual([])
})

test('a process that lost its lease begins nothing more, and says why', async () => {
  const { engine, told, pass, give, asked } = await opened()
  Object.assign(told, { is_alive: false })
  let lost: unknown
  void engine?.lost.then((error) => {
    lost = error
  })
  await pass(1000)
  expect(lost).toMatchObject({ code: 'lease-lost' })
  asked.length = 0
  give('r')
  await turn()
  expect(asked).toEqual([])
})

test.each([
  ['all', /^runs-/],
  ['own', /^own-/],
] as const)('a process that takes %s says so in its row, and in each heartbeat', async (takes, queue) => {
  const { given, pass } = await opened({ takes })
  expect(given.get('register')?.[5]).toMatch(queue)
  await pass(1000)
  expect(given.get('beat')).toEqual([expect.any(String), takes === 'all'])
})

test('a worker without runs that is to drain has drained with that heartbeat; a process of its own runs never does', async () => {
  for (const [takes, drains] of [
    ['all', true],
    ['own', false],
  ] as const) {
    const { engine, told, pass } = await opened({ takes })
    let hasDrained = false
    void engine?.drained.then(() => {
      hasDrained = true
    })
    await pass(1000)
    expect([engine?.isDraining(), hasDrained]).toEqual([false, false])
    Object.assign(told, { is_draining: true })
    await pass(1000)
    expect([engine?.isDraining(), hasDrained]).toEqual([drains, drains])
  }
})

test('a database that is away is logged once, and so is its return', async () => {
  const { told, log, pass } = await opened()
  Object.assign(told, { is_alive: false, is_keeper: true })
  await pass(3000)
  Object.assign(told, CALM)
  await pass(3000)
  expect(log).toMatchObject([{ kind: 'away', reason: 'connect ECONNREFUSED' }, { kind: 'back' }])
})

test('a process has ended when its runs are with others, or after five seconds', async () => {
  const { engine, held, asked, pass } = await opened()
  const buried = Promise.withResolvers<void>()
  held.bury = buried.promise
  let isOver = false
  const stopped = engine?.stop(0).then(() => {
    isOver = true
  })
  await pass(4999)
  expect([isOver, asked.includes('destroy')]).toEqual([false, false])
  buried.resolve()
  await stopped
  expect(asked).toContain('destroy')
  const other = await opened()
  other.held.bury = new Promise(() => undefined)
  const end = other.engine?.stop(0)
  await other.pass(5000)
  await end
})
