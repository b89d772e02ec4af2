import { expect, test } from 'vitest'
import { Poller, type PollLimits, type PollResult } from '../../src/adapter/poller.ts'
import { settled, steppedClock } from './stepped-clock.ts'

const again = (delayMs: number): PollResult<string> => ({ state: 'again', delayMs })
const done: PollResult<string> = { state: 'settled', value: 'done' }

/** A poller with its own clock, and the times at which each thing was read. */
function setUp(limits: Partial<PollLimits> = {}) {
  const clock = steppedClock()
  const closing = new AbortController()
  const poller = new Poller<string>(clock, { perSecond: 1000, concurrency: 1000, ...limits }, closing.signal)
  const looks: { name: string; at: number }[] = []
  /** Polls something that answers the nth read with the nth of these values, and all later reads with the last. */
  const poll = (
    name: string,
    answers: readonly (PollResult<string> | Promise<PollResult<string>>)[],
    signal?: AbortSignal,
  ) => {
    let count = 0
    const look = async () => {
      looks.push({ name, at: clock.now() })
      return (await answers[Math.min(count++, answers.length - 1)]) ?? done
    }
    return poller.poll({ look }, signal).catch((reason: unknown) => reason)
  }
  return { clock, poller, poll, looks, close: () => closing.abort('closed') }
}

test('it looks at once, and again after the delay that a look asks for', async () => {
  const { clock, poll, looks } = setUp()
  const result = poll('a', [again(500), again(20), done])
  await clock.moveTo(1000)
  expect(looks.map(({ at }) => at)).toEqual([0, 500, 520])
  expect(await result).toBe('done')
})

test('ten thousand are looked at with one timer, and the budget is never exceeded', async () => {
  const { clock, poll, looks } = setUp({ perSecond: 50, concurrency: 8 })
  const waits = Array.from({ length: 10_000 }, (_, index) => poll(`${index}`, [again((index % 100) * 1000), done]))
  await clock.moveTo(450_000)
  expect(new Set(await Promise.all(waits))).toEqual(new Set(['done']))
  expect(clock).toMatchObject({ mostSleeping: 1, sleeping: 0 })
  const tooSoon = looks.filter(({ at }, index) => at - (looks[index - 50]?.at ?? Number.NEGATIVE_INFINITY) < 1000)
  expect(tooSoon).toEqual([])
  // No time is lost either: these are 20,000 reads at 50 per second.
  expect(looks).toHaveLength(20_000)
  expect(looks.at(-1)?.at).toBe(399_000)
})

test('a budget of less than one a second is kept', async () => {
  const { clock, poll, looks } = setUp({ perSecond: 0.1 })
  for (const name of ['a', 'b', 'c']) poll(name, [done])
  await clock.moveTo(60_000)
  expect(looks.map(({ at }) => at)).toEqual([0, 10_000, 20_000])
})

test('the most overdue is looked at first', async () => {
  const { clock, poll, looks } = setUp({ perSecond: 4, concurrency: 1 })
  const late = [700, 200, 500, 100].map((delayMs) => poll(`${delayMs}`, [again(delayMs), done]))
  await clock.moveTo(10_000)
  await Promise.all(late)
  expect(looks.slice(4).map(({ name }) => name)).toEqual(['100', '200', '500', '700'])
})

test('only so many looks are under way at a time, and each that ends makes room', async () => {
  const { clock, poll, looks } = setUp({ concurrency: 2 })
  const slow = Promise.withResolvers<PollResult<string>>()
  for (const name of ['a', 'b', 'c', 'd']) poll(name, [slow.promise])
  await clock.moveTo(60_000)
  expect(looks).toHaveLength(2)
  slow.resolve(done)
  await settled()
  expect(looks).toHaveLength(4)
})

test('something that is due sooner moves the timer forward', async () => {
  const { clock, poll, looks } = setUp()
  poll('slow', [again(60_000), done])
  await settled()
  poll('quick', [again(100), done])
  await clock.moveTo(1000)
  expect(looks.at(-1)).toEqual({ name: 'quick', at: 100 })
  expect(clock.mostSleeping).toBe(1)
})

test('a look that throws ends that poll alone', async () => {
  const { clock, poll } = setUp()
  const error = new Error('broken')
  const [broken, sound] = [poll('broken', [Promise.reject(error)]), poll('sound', [again(10), done])]
  await clock.moveTo(100)
  expect(await broken).toBe(error)
  expect(await sound).toBe('done')
})

test.each([
  ['between looks', again(500)],
  ['during a look', new Promise<never>(() => {})],
])('aborting %s ends that poll with the signal’s reason, and its timer', async (_when, answer) => {
  const { clock, poll, looks } = setUp()
  const abort = new AbortController()
  const result = poll('a', [answer], abort.signal)
  await settled()
  abort.abort('enough')
  expect(await result).toBe('enough')
  expect(clock.sleeping).toBe(0)
  await clock.moveTo(10_000)
  expect(looks).toHaveLength(1)
  expect(await poll('late', [done], abort.signal)).toBe('enough')
})

test('closing ends all, whether due, looked at or to come, and leaves no timer', async () => {
  const { clock, poll, looks, close } = setUp({ concurrency: 1 })
  const never = new Promise<never>(() => {})
  const waits = [poll('waits', [again(500)])]
  await settled()
  waits.push(poll('under way', [never]), poll('queued', [done]))
  await settled()
  close()
  expect(await Promise.all(waits)).toEqual(['closed', 'closed', 'closed'])
  expect(clock.sleeping).toBe(0)
  expect(await poll('late', [done])).toBe('closed')
  expect(looks.map(({ name }) => name)).toEqual(['waits', 'under way'])
})

test('what is over no longer listens to its signal', async () => {
  const { poll } = setUp()
  const abort = new AbortController()
  let listeners = 0
  const signal = new Proxy(abort.signal, {
    get(target, key) {
      if (key === 'addEventListener') listeners += 1
      if (key === 'removeEventListener') listeners -= 1
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const result = poll('a', [done], signal)
  expect(listeners).toBe(1)
  await result
  expect(listeners).toBe(0)
})

test('a clock that is set back holds nothing up', async () => {
  const { clock, poll, looks } = setUp()
  clock.set(3_600_000)
  const waits = [poll('a', [again(500), done])]
  await settled()
  clock.set(0)
  waits.push(poll('b', [again(100), done]))
  await clock.moveTo(1000)
  expect(await Promise.all(waits)).toEqual(['done', 'done'])
  expect(looks).toEqual([
    { name: 'a', at: 3_600_000 },
    { name: 'b', at: 0 },
    { name: 'b', at: 100 },
    { name: 'a', at: 500 },
  ])
})
