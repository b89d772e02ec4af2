import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { adoptOlder, giveAway, removeEnded, sweep, takeOver } from '../../../src/engine/distributed/care-for-others.ts'
import { queueOf } from '../../../src/engine/distributed/dbos.ts'

type Deps = Parameters<typeof sweep>[0]

const OTHER = { profile: 'staging', service: 'https://service.example.org' }
const [local, staging] = [queueOf({ profile: 'local' }), queueOf(OTHER)]

/** The queries of a process to the database. The test answers them, the oldest first. */
function held({ here = [] as readonly string[], protocol = 3 } = {}) {
  const asked: unknown[][] = []
  const open: PromiseWithResolvers<unknown>[] = []
  const ask =
    (name: string) =>
    (...values: unknown[]) => {
      asked.push([name, ...values])
      const answer = Promise.withResolvers<unknown>()
      open.push(answer)
      return answer.promise
    }
  const of = (...names: string[]) => Object.fromEntries(names.map((name) => [name, ask(name)]))
  const deps = {
    clock: { now: () => 100_000, steady: () => 0, sleep: ask('sleep') },
    workers: {
      ...of('registered', 'protocols'),
      bury: async (work: unknown, only: unknown) => void asked.push(['bury', only, work]),
    },
    writes: of('findAll', 'unattended'),
    dbos: of('runsOf', 'whereAre', 'requeue', 'removeQueue', 'ofProtocols', 'removeEnded'),
    executor: 'me',
    protocol,
    isHere: (runId: string) => here.includes(runId),
  } as unknown as Deps
  return {
    deps,
    /** The first queries. */
    async asked(): Promise<unknown[][]> {
      await turn()
      return asked.splice(0)
    },
    /** The next query, after the answer. */
    async answer(value?: unknown): Promise<unknown[][]> {
      open.shift()?.resolve(value)
      await turn()
      return asked.splice(0)
    },
    async fail(): Promise<unknown[][]> {
      open.shift()?.reject(new Error('away'))
      await turn()
      return asked.splice(0)
    },
  }
}

/** The result, and whether it has ended. */
function watched<T>(work: Promise<T>) {
  const seen: { value?: T; error?: unknown; isOver: boolean } = { isOver: false }
  work.then(
    (value) => Object.assign(seen, { value, isOver: true }),
    (error: unknown) => Object.assign(seen, { error, isOver: true }),
  )
  return seen
}

const run = (runId: string, of: object = { profile: 'local' }) => ({ runId, state: 'active', ...of })
const place = (own: object = {}) => ({ executor: undefined, isEnded: false, isQueuedHere: false, ...own })

test('the runs of a dead worker go to the queues of their services, and only then is its own queue removed', async () => {
  const { deps, asked, answer } = held()
  void takeOver(deps, 'dead')
  const [[, only, work] = []] = await asked()
  expect(only).toBe('dead')
  const done = watched((work as (executor: string) => Promise<void>)('dead'))
  expect(await asked()).toEqual([['runsOf', 'dead']])
  expect(await answer(['a', 'b', 'removed'])).toEqual([['findAll', ['a', 'b', 'removed']]])
  expect(await answer([run('a'), run('b', OTHER)])).toEqual([['requeue', ['a'], local]])
  expect(await answer()).toEqual([['sleep', 120]])
  expect(await answer()).toEqual([['requeue', ['b'], staging]])
  expect(await answer()).toEqual([['removeQueue', 'dead']])
  expect(done.isOver).toBe(false)
  await answer()
  expect(done).toEqual({ isOver: true, value: undefined })
})

test('the queue of a worker stays, and the failure is told, if its runs could not be given away', async () => {
  const { deps, asked, answer, fail } = held()
  void takeOver(deps)
  const [[, only, work] = []] = await asked()
  expect(only).toBeUndefined()
  const done = watched((work as (executor: string) => Promise<void>)('dead'))
  await asked()
  await answer(['a'])
  await answer([run('a')])
  expect(await fail()).toEqual([])
  expect(done.error).toMatchObject({ message: 'away' })
})

test('no run is given away twice, and of none nothing is asked', async () => {
  const { deps, asked, answer } = held()
  const given = watched(giveAway(['a', 'b', 'c'], deps))
  expect(await asked()).toEqual([['findAll', ['a', 'b', 'c']]])
  expect(await answer(['a', 'b', 'c'].map((runId) => run(runId)))).toEqual([['requeue', ['a'], local]])
  const rest: unknown[][] = []
  for (let answers = 0; answers < 9; answers += 1) rest.push(...(await answer()))
  expect(rest.filter(([name]) => name === 'requeue')).toEqual([
    ['requeue', ['b'], local],
    ['requeue', ['c'], local],
  ])
  expect(given.isOver).toBe(true)
  const none = held()
  const nothing = watched(giveAway([], none.deps))
  await none.asked()
  expect([await none.answer([]), nothing.isOver]).toEqual([[], true])
})

/** What a sweep that suspects all processes finds and queues. */
async function swept(
  places: Record<string, object | undefined>,
  { here = [] as readonly string[], suspects = Object.keys(places) } = {},
) {
  const { deps, asked, answer } = held({ here })
  const found = watched(sweep(deps, new Set(suspects)))
  expect(await asked()).toEqual([['unattended', 1000]])
  const elsewhere = Object.keys(places).filter((runId) => !here.includes(runId))
  const next = await answer(Object.keys(places).map((runId) => run(runId, runId === 'staged' ? OTHER : undefined)))
  expect(next).toEqual(elsewhere.length > 0 ? [['whereAre', elsewhere]] : [])
  await answer(new Map(Object.entries(places).flatMap(([runId, where]) => (where ? [[runId, where]] : []))))
  const queued = await answer(['me', 'alive'])
  const isOver = found.isOver
  queued.push(...(await answer()), ...(await answer()))
  return { queued, isOver, found: [...(found.value ?? [])] }
}

test('a run is lost if its workflow ended or is missing, or its process does not have it, or is buried', async () => {
  const places = {
    missing: undefined,
    ended: place({ executor: 'alive', isEnded: true }),
    mine: place({ executor: 'me' }),
    buried: place({ executor: 'dead' }),
    taken: place({ executor: 'alive' }),
    queued: place(),
    staged: place({ executor: 'dead' }),
  }
  const { queued, found } = await swept(places)
  expect(found).toEqual(['missing', 'ended', 'mine', 'buried', 'staged'])
  expect(queued).toEqual([
    ['requeue', ['missing', 'ended', 'mine', 'buried'], local],
    ['requeue', ['staged'], staging],
  ])
})

test('a run that is found for the first time is on its way, and one that is here is nobody else’s', async () => {
  const first = await swept({ missing: undefined, mine: place({ executor: 'me' }) }, { suspects: ['mine'] })
  expect(first.queued).toEqual([['requeue', ['mine'], local]])
  expect(first.found).toEqual(['missing', 'mine'])
  // The sweep waits for the queue.
  expect(first.isOver).toBe(false)
  expect(await swept({ mine: place({ executor: 'me' }) }, { here: ['mine'] })).toMatchObject({ queued: [], found: [] })
  expect(await swept({})).toMatchObject({ queued: [], found: [], isOver: true })
})

test('runs of older protocols are adopted where nobody of theirs lives, at most a thousand at a time', async () => {
  const { deps, asked, answer } = held()
  const adopted = watched(adoptOlder(deps))
  expect(await asked()).toEqual([['protocols']])
  expect(await answer([3, 2])).toEqual([['ofProtocols', [1]]])
  const many = Array.from({ length: 1001 }, (_, at) => `r${at}`)
  expect(await answer(many)).toEqual([['findAll', many.slice(0, 1000)]])
  expect(await answer([run('a'), run('b', OTHER), run('c')])).toEqual([
    ['requeue', ['a', 'c'], local, { adopts: true }],
  ])
  expect(await answer()).toEqual([['requeue', ['b'], staging, { adopts: true }]])
  expect(adopted.isOver).toBe(false)
  await answer()
  expect(adopted.isOver).toBe(true)
})

test.each([
  [1, []],
  [3, [1, 2]],
])('protocol %s looks for no run of older ones while these live: %j', async (protocol, living) => {
  const { deps, asked, answer } = held({ protocol })
  const adopted = watched(adoptOlder(deps))
  expect(await asked()).toEqual([['protocols']])
  expect([await answer(living), adopted.isOver]).toEqual([[], true])
})

test('the workflows of runs that ended a minute ago are removed', async () => {
  const { deps, asked } = held()
  void removeEnded(deps)
  expect(await asked()).toEqual([['removeEnded', new Date(40_000)]])
})
