import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import type { Channel, Delivery } from '../../src/notifications/channels/channel.ts'
import { webhookChannel } from '../../src/notifications/channels/webhook-channel.ts'
import { type Notifier, startNotifier } from '../../src/notifications/start-notifier.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { type Receiver, webhookReceiver } from './channels/support/webhook-receiver.ts'
import { fastClock, type NotifierBench, notifierBench } from './support/notifier-bench.ts'

let bench: NotifierBench
beforeEach(() => {
  bench = notifierBench()
  bench.declare('nightly')
  // Not with afterEach: the tests start notifiers later than the bench, so the notifiers must end before it.
  onTestFinished(() => bench.close())
})

/** Time passes a hundred times as fast. */
async function start(channels: readonly Channel[], options: Partial<Parameters<typeof startNotifier>[0]> = {}) {
  const notifier = await startNotifier({
    ...bench.sweepDeps(),
    channels,
    clock: fastClock(100),
    random: () => 0.5,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    redact: (text) => text,
    ...options,
  })
  onTestFinished(() => notifier.stop(0))
  return notifier
}

const channelTo = (receiver: Receiver, name = 'ops') =>
  webhookChannel({ name, url: new URL(receiver.url), format: 'json', clock: systemClock, redact: (text) => text })

async function fail(runId: string): Promise<void> {
  await bench.run(runId, { key: runId })
  await bench.end(runId, 'failed')
}

const away = new AudienceError({ code: 'state-unreachable', kind: 'unavailable', message: 'no database' })
const keys = ({ bodies }: Receiver) => bodies.map((body) => (body as { key: string }).key)
const until = (check: () => void) => vi.waitFor(check, { timeout: 100_000, interval: 5 })

test('a failure reaches a receiver that fails twice', async () => {
  const receiver = await webhookReceiver({ status: 503 }, 'hangUp', { status: 200 })
  await start([channelTo(receiver)])
  await fail('r1')
  await until(() => expect(keys(receiver)).toEqual(['failure/r1', 'failure/r1', 'failure/r1']))
  await until(async () => expect(await bench.waiting()).toEqual([]))
})

test('a channel that hangs does not hold the others up', async () => {
  const [hanging, working] = [await webhookReceiver('hang'), await webhookReceiver()]
  await start([channelTo(hanging, 'hanging'), channelTo(working)], {})
  await fail('r1')
  await until(() => expect(keys(hanging)).toEqual(['failure/r1']))
  await fail('r2')
  await bench.run('r3')
  await bench.end('r3', 'succeeded')
  await until(() => expect(keys(working)).toEqual(['failure/r1', 'failure/r2', 'recovery/r3']))
  expect(keys(hanging)).toEqual(['failure/r1'])
})

describe('its start', () => {
  test('on a state with a past tells nothing of it', async () => {
    const receiver = await webhookReceiver()
    await fail('old')
    await start([channelTo(receiver)])
    await fail('new')
    await until(() => expect(keys(receiver)).toEqual(['failure/new']))
  })

  test('after a stop shows what happened in between, once', async () => {
    const receiver = await webhookReceiver()
    const stopped = await start([channelTo(receiver)])
    await stopped.stop(1000)
    await fail('r1')
    await start([channelTo(receiver)])
    await until(() => expect(keys(receiver)).toEqual(['failure/r1']))
    await until(async () => expect(await bench.waiting()).toEqual([]))
  })

  test('without channels keeps nothing for later', async () => {
    const receiver = await webhookReceiver()
    await (await start([channelTo(receiver)])).stop(1000)
    await fail('r1')
    await (await start([])).stop(0)
    await fail('r2')
    await start([channelTo(receiver)])
    await fail('r3')
    await until(() => expect(keys(receiver)).toEqual(['failure/r3']))
  })

  test('sends what waits for a channel that is gone to where the rules say now', async () => {
    const receiver = await webhookReceiver()
    const warn = vi.fn()
    const waiting = (pipeline: string) =>
      ({ key: pipeline, event: 'late', at: 1, pipeline, title: 'late', next: [] }) as const
    bench.declare('quiet', { notify: '{ on: [] }' })
    const notifications = ['nightly', 'quiet'].map((name) => ({ channel: 'old', notification: waiting(name) }))
    await bench.outbox.commitBatch({ events: [], notifications, checkpoints: new Map(), at: 0 })
    const mail = await webhookReceiver()
    await start([channelTo(receiver), channelTo(mail, 'mail')], {
      rules: { routes: [{ pipelines: ['night*'], to: ['mail'] }] },
      log: { info: () => undefined, warn, error: () => undefined },
    })
    await until(() => expect(keys(mail)).toEqual(['nightly']))
    expect(keys(receiver)).toEqual([])
    expect(await bench.waiting('old')).toEqual([])
    expect(warn).toHaveBeenCalledWith({ count: 2, dropped: 1 }, expect.stringContaining('that the rules name now'))
  })
})

describe('its stop', () => {
  test('lets a message arrive that is under way', async () => {
    const arrival = Promise.withResolvers<Delivery>()
    const channel: Channel = { name: 'ops', send: () => arrival.promise }
    const send = vi.spyOn(channel, 'send')
    const notifier = await start([channel])
    await fail('r1')
    await until(() => expect(send).toHaveBeenCalled())
    const stopped = notifier.stop(60_000)
    arrival.resolve({ state: 'delivered', answer: 'ok' })
    await stopped
    expect(await bench.waiting()).toEqual([])
  })

  test('does not wait longer than its grace, and what did not arrive is sent after the next start', async () => {
    const receiver = await webhookReceiver('hang')
    const notifier: Notifier = await start([channelTo(receiver)])
    await fail('r1')
    await until(() => expect(keys(receiver)).toEqual(['failure/r1']))
    await notifier.stop(10)
    receiver.answer({ status: 200 })
    await start([channelTo(receiver)])
    await until(() => expect(keys(receiver)).toEqual(['failure/r1', 'failure/r1']))
  })
})

test('what goes wrong within is logged once, and does not end it', async () => {
  const receiver = await webhookReceiver()
  const error = vi.fn()
  let isBroken = true
  let looks = 0
  const events: typeof bench.outbox.events = async (limit) => {
    looks += 1
    if (isBroken) throw new Error('the disk is full of s3cret')
    return await bench.outbox.events(limit)
  }
  await start([channelTo(receiver)], {
    outbox: { ...bench.outbox, events },
    log: { info: () => undefined, warn: () => undefined, error },
    redact: (text) => text.replaceAll('s3cret', '***'),
  })
  await fail('r1')
  await until(() => expect(looks).toBeGreaterThan(3))
  isBroken = false
  await until(() => expect(keys(receiver)).toEqual(['failure/r1']))
  expect(error).toHaveBeenCalledTimes(1)
  expect(error.mock.calls[0]?.[0]).toMatchObject({ error: 'the disk is full of ***' })
})

test('a problem that comes back is logged again; that the state is away, the engine tells', async () => {
  const error = vi.fn()
  const answers = [new Error('full'), new Error('full'), undefined, new Error('full'), away, undefined]
  const seen: unknown[] = []
  const events: typeof bench.outbox.events = async (limit) => {
    const answer = answers.shift()
    seen.push(answer)
    if (answer) throw answer
    return await bench.outbox.events(limit)
  }
  const log = { info: () => undefined, warn: () => undefined, error }
  await start([channelTo(await webhookReceiver())], { outbox: { ...bench.outbox, events }, log })
  await until(() => expect(seen.length).toBeGreaterThan(6))
  expect(error.mock.calls.map(([facts]) => facts)).toEqual(Array(2).fill({ notifier: 'sweep', error: 'full' }))
})

test('it looks each second, and leaves no wait behind', async () => {
  const waits: number[] = []
  const open = new Set<number>()
  const { now, sleep } = fastClock(100)
  const clock = {
    now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      waits.push(ms)
      open.add(ms)
      await sleep(ms, signal).finally(() => open.delete(ms))
    },
  }
  const notifier = await start([channelTo(await webhookReceiver())], { clock })
  await until(() => expect(waits.length).toBeGreaterThan(3))
  expect(new Set(waits)).toEqual(new Set([1000]))
  await notifier.stop(3_600_000)
  await until(() => expect([...open]).toEqual([]))
})

test('nothing is moved, swept or sent before the outbox has begun', async () => {
  const begun = Promise.withResolvers<void>()
  const outbox = { ...bench.outbox, begin: () => begun.promise, elsewhere: vi.fn(bench.outbox.elsewhere) }
  const started = start([channelTo(await webhookReceiver())], { outbox })
  await new Promise(setImmediate)
  expect(outbox.elsewhere).not.toHaveBeenCalled()
  await bench.outbox.begin()
  begun.resolve()
  await started
  expect(outbox.elsewhere).toHaveBeenCalledWith(['ops'], expect.any(Number))
})

test('a delivery that a stop cuts off is no problem to log', async () => {
  const receiver = await webhookReceiver('hang')
  const error = vi.fn()
  const notifier = await start([channelTo(receiver)], {
    log: { info: () => undefined, warn: () => undefined, error },
  })
  await fail('r1')
  await until(() => expect(keys(receiver)).toEqual(['failure/r1']))
  await notifier.stop(10)
  expect(error).not.toHaveBeenCalled()
})

test('what was delivered long ago is removed once an hour', async () => {
  let now = Date.parse('2026-11-21T02:00Z')
  const pruned: number[] = []
  let looks = 0
  const outbox: typeof bench.outbox = {
    ...bench.outbox,
    prune: async () => void pruned.push(now),
    events: async (limit) => {
      looks += 1
      return await bench.outbox.events(limit)
    },
  }
  await start([channelTo(await webhookReceiver())], { outbox, clock: { ...fastClock(100), now: () => now } })
  const lookTwice = async () => {
    const before = looks
    await until(() => expect(looks).toBeGreaterThan(before + 2))
  }
  await lookTwice()
  expect(pruned).toHaveLength(1)
  now += 3_599_999
  await lookTwice()
  expect(pruned).toHaveLength(1)
  now += 1
  await until(() => expect(pruned).toHaveLength(2))
})

test('what was delivered is kept for thirty days', async () => {
  const receiver = await webhookReceiver()
  const now = Date.parse('2026-11-21T02:00Z')
  const { outbox } = bench
  const pruned: number[] = []
  const prune = async (before: number) => void pruned.push(before)
  await start([channelTo(receiver)], { outbox: { ...outbox, prune }, clock: { ...fastClock(100), now: () => now } })
  await until(() => expect(pruned).not.toEqual([]))
  expect(new Date(pruned[0]!).toISOString()).toBe('2026-10-22T02:00:00.000Z')
})
