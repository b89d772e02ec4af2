import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import type { NotifyRules } from '../../src/core/notify-rule.ts'
import type { Channel } from '../../src/notifications/channels/channel.ts'
import { jsonBody } from '../../src/notifications/channels/json-format.ts'
import type { Message } from '../../src/notifications/message.ts'
import { createReminders } from '../../src/notifications/reminders.ts'
import { createSender } from '../../src/notifications/sender.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from '../contract/run-writer.ts'
import { describeWithPostgres } from '../support/postgres.ts'
import { postgresPlace } from '../support/postgres-place.ts'
import { sqlitePlace } from '../support/sqlite-place.ts'
import { handClock, notifierBench } from './support/notifier-bench.ts'

type Store = State & { readonly journal: RunWriter }

const START = Date.UTC(2026, 10, 27, 2)
const NOTHING = () => undefined

describe('SQLite', () => traps(() => sqlitePlace(), 167))
// With PostgreSQL, each row takes a request, so there are fewer failures per minute: the machine may be busy.
describeWithPostgres('PostgreSQL', () => traps(() => postgresPlace(), 17))

function traps(place: () => Place<Store, [service: string]>, failuresAMinute: number): void {
  let where: ReturnType<typeof place>
  let opened: Store[]
  let clock: ReturnType<typeof handClock>
  beforeEach(() => {
    where = place()
    opened = []
    clock = handClock(START)
  })
  afterEach(async () => {
    for (const { journal } of opened) await journal.close()
    await where.remove()
  })

  /** A process that becomes the keeper. The previous one simply stops. */
  async function keeper(rules: NotifyRules = {}, channels: readonly string[] = ['ops']) {
    const store = await where.open('a')
    opened.push(store)
    const bench = notifierBench(store)
    bench.declare('nightly')
    await bench.outbox.begin()
    const deps = { ...bench.sweepDeps(rules, channels) }
    const sweep = createSweep(deps)
    const remind = createReminders(deps)
    const sent: Message[] = []
    const channel = (name: string): Channel => ({
      name,
      async send(message) {
        sent.push(message)
        return { state: 'delivered', answer: '' }
      },
    })
    const log = { info: NOTHING, warn: NOTHING, error: NOTHING }
    const senders = channels.map((name) =>
      createSender(channel(name), {
        outbox: bench.outbox,
        now: clock.now,
        random: () => 0.5,
        log,
        redact: (text) => text,
      }),
    )
    const deliver = async () => {
      for (const send of senders) await send(new AbortController().signal)
    }
    const look = async () => {
      await sweep(clock.now())
      await remind(clock.now())
    }
    const end = async (runId: string, status: 'failed' | 'succeeded', pipeline = 'nightly') => {
      await bench.run(runId, { pipeline, key: runId, at: clock.now() })
      await bench.end(runId, status, clock.now())
    }
    const titles = () => sent.map(({ title }) => title)
    return { bench, look, deliver, end, titles, sent, sweep }
  }
  /** The messages of the first keeper, and then of the second. */
  const told = (...keepers: readonly { titles: () => readonly string[] }[]) => keepers.flatMap(({ titles }) => titles())

  test('a crash between a send and its record sends the message again, with its key, and in its place', async () => {
    const first = await keeper()
    await first.end('r1', 'failed')
    await first.end('r2', 'succeeded')
    await first.look()
    first.bench.outbox.delivered = () => Promise.reject(new Error('died'))
    await expect(first.deliver()).rejects.toThrow('died')
    const second = await keeper()
    await second.look()
    await second.deliver()
    expect(first.sent.map(({ key }) => key)).toEqual(['failure/r1'])
    expect(second.sent.map(({ key }) => key)).toEqual(['failure/r1', 'recovery/r2'])
  })

  test('rules that change while a message waits do not change where it goes, and what comes later follows them', async () => {
    const first = await keeper({ to: ['ops'] }, ['ops', 'mail'])
    await first.end('r1', 'failed')
    await first.look()
    const second = await keeper({ to: ['mail'], repeatMs: DAY_MS }, ['ops', 'mail'])
    await second.end('r2', 'failed')
    await second.look()
    const waiting = async (channel: string) => (await second.bench.waiting(channel)).map(({ key }) => key)
    expect([await waiting('ops'), await waiting('mail')]).toEqual([['failure/r1'], ['failure/r2']])
  })

  test('another keeper goes on: a recovery, a count of failures, a mute, a summary, all of it once', async () => {
    const rules = { repeatMs: DAY_MS, summary: { at: '08:00', timezone: 'UTC' } }
    const first = await keeper(rules)
    await first.end('r1', 'failed')
    await first.look()
    await first.deliver()
    clock.add(HOUR_MS)
    await first.end('r2', 'failed')
    await first.look()
    await first.bench.mutes.mute({ pipelines: 'nightly', since: clock.now(), until: clock.now() + 2 * HOUR_MS }, {})
    const second = await keeper(rules)
    clock.add(HOUR_MS)
    await second.end('r3', 'failed')
    await second.bench.occur('missed', 'k1')
    await second.look()
    await second.deliver()
    clock.add(DAY_MS)
    await Promise.all([first.look(), second.look()])
    await second.deliver()
    expect(told(first, second)).toEqual([
      'nightly failed',
      'nightly still fails: 2 more times since 2026-11-27 02:00:00 UTC',
      'daily summary: 0 succeeded, 3 failed',
    ])
    clock.add(HOUR_MS)
    await second.end('r4', 'succeeded')
    const third = await keeper(rules)
    for (const one of [second, third]) await one.look()
    await third.deliver()
    expect(third.titles()).toEqual(['nightly works again, after it had failed at 2026-11-27 04:00:00 UTC'])
  })

  test('a mute does not swallow the recovery of what was told before it, whichever keeper is there', async () => {
    const first = await keeper()
    await first.end('r1', 'failed')
    await first.look()
    await first.bench.mutes.mute({ pipelines: '*', since: clock.now(), until: clock.now() + 8 * HOUR_MS }, {})
    const second = await keeper()
    await second.end('r2', 'failed')
    await second.end('r3', 'succeeded')
    await second.end('r4', 'failed')
    await second.look()
    await second.deliver()
    clock.add(8 * HOUR_MS)
    await second.look()
    await second.deliver()
    expect(second.titles()).toEqual([
      'nightly failed',
      'nightly works again, after it had failed at 2026-11-27 02:00:00 UTC',
      'nightly failed once while it was muted',
    ])
  })

  test.each([
    ['each', {}, 61],
    ['with repeat', { repeatMs: DAY_MS }, 1],
  ])(
    'thousands of failures in an hour, told %s, are few messages of limited size, and hold nobody else up',
    async (_, rules, most) => {
      const one = await keeper(rules)
      let [commits, read] = [0, 0]
      const { commitBatch, due } = one.bench.outbox
      one.bench.outbox.commitBatch = (change) => {
        commits++
        return commitBatch(change)
      }
      one.bench.outbox.due = async (...asked) => {
        const found = await due(...asked)
        read = Math.max(read, found.length)
        return found
      }
      for (let minute = 0; minute < 60; minute++) {
        const slots = Array.from({ length: failuresAMinute }, (_, index) => ({
          key: `${minute}/${index}`,
          at: clock.now(),
        }))
        await one.bench.occurrences.note(
          { pipeline: 'nightly', trigger: 'night' },
          { occurrences: slots.map((slot) => ({ ...slot, state: 'failed', reason: 'no such input' })) },
        )
        if (minute === 30) await one.bench.occur('missed', 'other', { pipeline: 'weekly' })
        await one.look()
        await one.deliver()
        if (minute === 30) expect(one.titles().at(-1)).toContain('weekly missed its time')
        clock.add(60_000)
      }
      const failures = one.sent.filter(({ event }) => event === 'failure')
      expect(failures.length).toBeLessThanOrEqual(most)
      expect(Math.max(...one.sent.map((message) => jsonBody(message).length))).toBeLessThan(100_000)
      expect(commits).toBeLessThanOrEqual(61)
      expect(read).toBeLessThanOrEqual(2000)
      const count = failures.reduce((sum, { notifications }) => sum + notifications.length, 0)
      if (most > 1) expect(count).toBe(failuresAMinute * 60)
      else expect((await one.bench.outbox.checkpoints('untold/')).get('untold/nightly')).toBe(failuresAMinute * 60 - 1)
    },
  )
}
