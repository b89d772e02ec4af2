import { expect, test } from 'vitest'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import { RunQueue, StuckRuns } from '../../../src/engine/embedded/run-queue.ts'
import type { Journal } from '../../../src/state/journal.ts'

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

type Admission = Parameters<Journal['admit']>[0]

/** A queue whose admissions are held. */
function held(begin: (runId: string) => Promise<void> = async () => undefined) {
  const admissions: (PromiseWithResolvers<readonly string[]> & { readonly asked: Admission })[] = []
  const admit = (asked: Admission) => {
    const admission = { asked, ...Promise.withResolvers<readonly string[]>() }
    admissions.push(admission)
    return admission.promise
  }
  const timeline = { wall: () => 5 } as never
  const isBegun = () => false
  const queue = new RunQueue({ journal: { admit } as never, timeline, room: () => 2, begin, isBegun })
  return { queue, admissions }
}

test('what changes while runs are admitted is looked at once more, after they began', async () => {
  const began: string[] = []
  const beginning = Promise.withResolvers<void>()
  const { queue, admissions } = held((runId) => {
    began.push(runId)
    return beginning.promise
  })
  const end = queue.admit(true)
  await queue.admit(true)
  await queue.admit(true)
  expect(admissions.map(({ asked }) => asked)).toMatchObject([{ at: 5, orphans: true }])
  admissions[0]?.resolve(['a', 'b'])
  await settled()
  expect([began, admissions.length]).toEqual([['a', 'b'], 1])
  beginning.resolve()
  await settled()
  expect(admissions).toHaveLength(2)
  admissions[1]?.resolve([])
  await end
  expect(admissions).toHaveLength(2)
})

test('who is admitted is about to begin from the moment that it is decided, until it has begun', async () => {
  const beginning = Promise.withResolvers<void>()
  const { queue, admissions } = held((runId) => (runId === 'a' ? beginning.promise : Promise.reject(new Error('x'))))
  const end = queue.admit(true)
  const [first] = admissions
  first?.asked.taken?.(['x', 'y'])
  expect([...queue.beginning]).toEqual(['x', 'y'])
  // The transaction failed, so the queue decides again.
  expect([first?.asked.room(), queue.beginning.size]).toEqual([2, 0])
  first?.asked.taken?.(['a', 'b'])
  first?.resolve(['a', 'b'])
  await settled()
  expect([...queue.beginning]).toEqual(['a'])
  beginning.resolve()
  await end
  expect(queue.beginning.size).toBe(0)
  const failing = queue.admit(false)
  admissions[1]?.asked.taken?.(['c'])
  admissions[1]?.reject(new Error('down'))
  await expect(failing).rejects.toThrow('down')
  expect(queue.beginning.size).toBe(0)
})

test('a run that cannot begin, and an admission that fails, hold up no later one', async () => {
  const { queue, admissions } = held(() => Promise.reject(new Error('x')))
  const end = queue.admit(false)
  admissions[0]?.resolve(['a'])
  await end
  const failing = queue.admit(false)
  admissions[1]?.reject(new Error('down'))
  await expect(failing).rejects.toThrow('down')
  void queue.admit(false)
  expect(admissions).toHaveLength(3)
})

test('it keeps the documents of queued runs until they are taken', () => {
  const { queue } = held()
  const document = {} as Pipeline
  expect(queue.isEmpty).toBe(true)
  queue.add('a', document)
  expect([queue.ids, queue.isEmpty]).toEqual([['a'], false])
  expect([queue.take('a'), queue.take('a'), queue.isEmpty]).toEqual([document, undefined, true])
})

/** The seconds at which a run that is stuck for 70 s is retried. */
function retriesOf(stuck: StuckRuns): readonly number[] {
  const tries: number[] = []
  for (let now = 0; now <= 70_000; now += 500) if (stuck.due(['a'], now).length > 0) tries.push(now / 1000)
  return tries
}

test('a stuck run is retried with growing delays', () => {
  const stuck = new StuckRuns()
  expect(retriesOf(stuck)).toEqual([0, 1, 3, 7, 15, 31, 61])
  expect(stuck.ids).toEqual(['a'])
  expect([stuck.due([], 71_000), stuck.ids]).toEqual([[], []])
  // It is stuck again: the delay after the last retry has not passed.
  expect([stuck.due(['a'], 90_999), stuck.due(['a'], 91_000)]).toEqual([[], ['a']])
})

test.each([
  ['a minute after its next retry was due, its delay is kept', 151_000, []],
  ['later, it begins with the shortest delay', 151_001, ['a']],
])('a run that was well meanwhile is stuck again: %s', (_, wellAt, dueAfterOneSecond) => {
  const stuck = new StuckRuns()
  retriesOf(stuck)
  stuck.due([], wellAt)
  expect(stuck.due(['a'], 200_000)).toEqual(['a'])
  expect(stuck.due(['a'], 201_000)).toEqual(dueAfterOneSecond)
})
