import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NotifyEvent } from '../../src/core/notify-rule.ts'
import type { Delivery } from '../../src/notifications/channels/channel.ts'
import type { Message } from '../../src/notifications/message.ts'
import { createSender, retryDelayMs } from '../../src/notifications/sender.ts'
import { handClock, type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 21)
let bench: NotifierBench
let clock: ReturnType<typeof handClock>
beforeEach(() => {
  bench = notifierBench()
  clock = handClock(START)
})
afterEach(() => bench.close())

async function enqueue(...keys: string[]): Promise<void> {
  const notifications = keys.map((key) => {
    const [event = 'failure', pipeline = 'nightly', runId = 'r'] = key.split('/')
    const ends = event === 'recovery' ? ({ ends: 'failure' } as const) : {}
    const named = { key, event: event as NotifyEvent, pipeline, runId, title: key, ...ends }
    return { channel: 'ops', notification: { ...named, at: clock.now(), next: [] } }
  })
  await bench.outbox.commitBatch({ events: [], notifications, checkpoints: new Map(), at: clock.now() })
}

const DELIVERED: Delivery = { state: 'delivered', answer: 'thanks s3cret' }

/** A sender on a channel that gives these answers in turn, and then always delivers. */
function sender(...deliveries: Delivery[]) {
  const sent: { after: number; count: number; title: string }[] = []
  const logged: { level: string; facts: Record<string, unknown>; text: string }[] = []
  const logAt = (level: string) => (facts: unknown, text?: string) =>
    void logged.push({ level, facts: facts as Record<string, unknown>, text: text ?? '' })
  const deliver = createSender(
    {
      name: 'ops',
      async send({ notifications, title }: Message): Promise<Delivery> {
        sent.push({ after: (clock.now() - START) / 1000, count: notifications.length, title })
        return deliveries.shift() ?? DELIVERED
      },
    },
    {
      outbox: bench.outbox,
      now: clock.now,
      random: () => 0.5,
      log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
      redact: (text) => text.replaceAll('s3cret', '***'),
    },
  )
  const answer = (...next: Delivery[]) => void deliveries.splice(0, deliveries.length, ...next)
  return { sent, logged, answer, deliver: () => deliver(new AbortController().signal) }
}

const failure = (rest: Partial<Extract<Delivery, { state: 'failed' }>> = {}): Delivery => ({
  state: 'failed',
  reason: 'busy with s3cret',
  concerns: 'channel',
  ...rest,
})

/** Calls the sender every second. */
async function pass(seconds: number, deliver: () => Promise<void>): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await deliver()
    clock.add(1000)
  }
}

test('what is delivered is not sent again', async () => {
  await enqueue('failure/nightly/r1', 'late/nightly/r1')
  const { sent, logged, deliver } = sender()
  await pass(100, deliver)
  expect(sent).toEqual([
    { after: 0, count: 1, title: 'failure/nightly/r1' },
    { after: 0, count: 1, title: 'late/nightly/r1' },
  ])
  expect(logged[0]).toMatchObject({ level: 'info', facts: { channel: 'ops', answer: 'thanks ***' } })
})

describe('what fails is sent again', () => {
  test('after longer and longer, and nothing else goes to the channel meanwhile', async () => {
    await enqueue('failure/nightly/r1')
    const { sent, logged, deliver } = sender(failure(), failure(), failure())
    await pass(1, deliver)
    await enqueue('late/weekly/r2')
    await pass(60, deliver)
    expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual([
      '0 failure/nightly/r1',
      '5 failure/nightly/r1',
      '15 failure/nightly/r1',
      '35 failure/nightly/r1',
      '35 late/weekly/r2',
    ])
    expect(logged.filter(({ level }) => level === 'warn')[0]?.facts).toMatchObject({
      error: 'busy with ***',
      attempts: 1,
      nextAt: '2026-11-21T00:00:05.000Z',
    })
  })

  test('no earlier than the receiver asks', async () => {
    await enqueue('failure/nightly/r1')
    const { sent, deliver } = sender(failure({ retryAfterMs: 120_000 }))
    await pass(130, deliver)
    expect(sent.map(({ after }) => after)).toEqual([0, 120])
  })

  test('and does not hold others up where it is the message that is wrong', async () => {
    await enqueue('failure/nightly/r1', 'failure/weekly/r2')
    const { sent, deliver } = sender(failure({ concerns: 'message' }))
    await pass(2, deliver)
    expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual(['0 failure/nightly/r1', '0 failure/weekly/r2'])
  })

  test('for about a day, then it is given up and said so', async () => {
    await enqueue('failure/nightly/r1')
    const { sent, logged, deliver } = sender(...Array.from({ length: 200 }, () => failure()))
    for (let minute = 0; minute < 3 * 24 * 60; minute++) {
      await deliver()
      clock.add(60_000)
    }
    expect(sent).toHaveLength(100)
    const hours = (sent.at(-1)?.after ?? 0) / 3600
    expect(hours).toBeGreaterThan(22)
    expect(hours).toBeLessThan(26)
    expect(logged.at(-1)).toMatchObject({ level: 'error', facts: { error: 'busy with ***' } })
  })

  test('and what has just come is not given up with what travels with it', async () => {
    await enqueue('failure/nightly/r1')
    const { logged, deliver } = sender(...Array.from({ length: 100 }, () => failure()))
    for (let minute = 0; minute < 3 * 24 * 60 && (await bench.outbox.counts()).failed === 0; minute++) {
      if (logged.length === 99) await enqueue('failure/nightly/r2')
      await deliver()
      clock.add(60_000)
    }
    expect(await bench.outbox.counts()).toEqual({ pending: 1, failed: 1 })
    expect(logged.slice(-2)).toMatchObject([
      { level: 'error', facts: { count: 1 } },
      { level: 'warn', facts: { count: 1, attempts: 1 } },
    ])
  })

  test('what travels together waits as long as the one that failed most often', async () => {
    await enqueue('failure/nightly/r1')
    const { sent, deliver } = sender(failure(), failure())
    await pass(5, deliver)
    await enqueue('failure/nightly/r2')
    await pass(15, deliver)
    expect(sent.map(({ after, count }) => ({ after, count }))).toEqual([
      { after: 0, count: 1 },
      { after: 5, count: 2 },
      { after: 15, count: 2 },
    ])
  })

  test('after a restart as before it', async () => {
    await enqueue('failure/nightly/r1')
    await sender(failure()).deliver()
    const { sent, deliver } = sender()
    await pass(10, deliver)
    expect(sent.map(({ after }) => after)).toEqual([5])
  })
})

test('after a crash between the delivery and its record it is delivered again', async () => {
  await enqueue('failure/nightly/r1')
  const { delivered } = bench.outbox
  bench.outbox.delivered = () => Promise.reject(new Error('died'))
  const dying = sender()
  await expect(dying.deliver()).rejects.toThrow('died')
  bench.outbox.delivered = delivered
  const { sent, deliver } = sender()
  await pass(100, deliver)
  expect([...dying.sent, ...sent].map(({ title }) => title)).toEqual(['failure/nightly/r1', 'failure/nightly/r1'])
})

describe('many are told together', () => {
  test('when they come at once', async () => {
    await enqueue(...Array.from({ length: 500 }, (_, index) => `missed/nightly/${index}`), 'missed/weekly/1')
    const { sent, deliver } = sender()
    await pass(100, deliver)
    expect(sent).toEqual([
      { after: 0, count: 500, title: 'nightly missed 500 scheduled times' },
      { after: 0, count: 1, title: 'missed/weekly/1' },
    ])
  })

  test('when they come within a minute of the last', async () => {
    const { sent, deliver } = sender()
    for (let second = 0; second < 130; second++) {
      if (second < 100) await enqueue(`failure/nightly/r${second}`)
      await pass(1, deliver)
    }
    expect(sent.map(({ after, count }) => ({ after, count }))).toEqual([
      { after: 0, count: 1 },
      { after: 60, count: 60 },
      { after: 120, count: 39 },
    ])
  })

  test('but that it works again is told at once, and after what failed', async () => {
    const { sent, deliver } = sender()
    await enqueue('failure/nightly/r1')
    await pass(5, deliver)
    await enqueue('failure/nightly/r2', 'recovery/nightly/r3')
    await pass(5, deliver)
    expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual([
      '0 failure/nightly/r1',
      '5 failure/nightly/r2',
      '5 recovery/nightly/r3',
    ])
  })
})

test('where recoveries come often, a failure waits for its minute', async () => {
  const { sent, deliver } = sender()
  await enqueue('failure/nightly/r1')
  await pass(5, deliver)
  await enqueue('recovery/nightly/r2')
  await pass(5, deliver)
  await enqueue('failure/nightly/r3', 'recovery/nightly/r4')
  await pass(60, deliver)
  expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual([
    '0 failure/nightly/r1',
    '5 recovery/nightly/r2',
    '60 failure/nightly/r3',
    '65 recovery/nightly/r4',
  ])
})

test('after a time without a way out there are three messages, and the last one says how it is now', async () => {
  const nights = ['failure/1', 'recovery/2', 'failure/3', 'failure/4', 'recovery/5', 'failure/6', 'failure/7']
  await enqueue(...nights.map((one) => one.replace('/', '/nightly/')))
  const { sent, deliver } = sender()
  await pass(70, deliver)
  expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual([
    '0 3 runs of nightly failed',
    '0 nightly works again',
    '60 2 runs of nightly failed',
  ])
})

test('what two sources got is two messages, and the end of one is not that of the other', async () => {
  const { sent, deliver } = sender()
  const of = (source: string, event: NotifyEvent, ends?: 'source') => ({
    channel: 'ops',
    notification: {
      ...{ key: `${event}/${source}`, event, ends, source, pipeline: '', at: START, next: [] },
      title: `${event} ${source}`,
    },
  })
  const notifications = [of('partner', 'source'), of('lake', 'source'), of('partner', 'recovery', 'source')]
  await bench.outbox.commitBatch({ events: [], notifications, checkpoints: new Map(), at: START })
  await deliver()
  expect(sent.map(({ title }) => title)).toEqual(['source partner', 'recovery partner', 'source lake'])
})

test('a message that is refused holds back what follows it of the same pipeline and event, and nothing else', async () => {
  await enqueue('failure/nightly/r1', 'late/nightly/r1', 'recovery/nightly/r2')
  const { sent, deliver } = sender(failure({ concerns: 'message' }))
  await pass(10, deliver)
  expect(sent.map(({ after, title }) => `${after} ${title}`)).toEqual([
    '0 failure/nightly/r1',
    '0 late/nightly/r1',
    '5 failure/nightly/r1',
    '5 recovery/nightly/r2',
  ])
})

test('whatever fails on the way, the last message of a pipeline says how it is in the end', async () => {
  const step = fc.record({
    event: fc.constantFrom('failure', 'recovery'),
    seconds: fc.nat(90),
    answers: fc.array(fc.constantFrom('channel' as const, 'message' as const, undefined), { maxLength: 3 }),
  })
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const pipeline = `p${round++}`
      const { sent, deliver, answer } = sender()
      for (const [index, { event, seconds, answers }] of steps.entries()) {
        await enqueue(`${event}/${pipeline}/${index}`)
        answer(...answers.map((concerns) => (concerns ? failure({ concerns }) : DELIVERED)))
        await pass(seconds, deliver)
      }
      answer()
      await pass(1000, deliver)
      const ofThis = sent.filter(({ title }) => title.includes(`${pipeline}`))
      const last = ofThis.at(-1)?.title ?? ''
      expect(/works again|^recovery/.test(last)).toBe(steps.at(-1)?.event === 'recovery')
    }),
    { numRuns: 30 },
  )
})

test('after a stop nothing more is sent, not even the next of those that are due', async () => {
  await enqueue('failure/nightly/r1', 'failure/weekly/r2')
  const stop = new AbortController()
  const sent: string[] = []
  const channel = {
    name: 'ops',
    async send({ title }: Message): Promise<Delivery> {
      sent.push(title)
      stop.abort(new Error('stopped'))
      return { state: 'delivered', answer: '' }
    },
  }
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const deps = { outbox: bench.outbox, now: clock.now, random: () => 0.5, log, redact: (text: string) => text }
  await expect(createSender(channel, deps)(stop.signal)).rejects.toThrow('stopped')
  expect(sent).toEqual(['failure/nightly/r1'])
  expect((await bench.waiting()).map(({ key }) => key)).toEqual(['failure/weekly/r2'])
})

test.each([
  [1, 0, 0, 3_750],
  [1, 1, 0, 6_250],
  [2, 0.5, 0, 10_000],
  [50, 0.5, 0, 900_000],
  [1, 0.5, 60_000, 60_000],
  [1, 0.5, 1e12, 86_400_000],
])('after %d attempts, at random %d, asked for %d ms: %d ms', (attempts, random, asked, expected) => {
  expect(retryDelayMs(attempts, () => random, asked)).toBe(expected)
})
