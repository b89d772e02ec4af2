import { expect, onTestFinished, test } from 'vitest'
import { createPinger, type Ping, type PingResult } from '../../../src/daemon/pings/create-pinger.ts'
import { heldClock } from '../../support/held-clock.ts'

const silent = { info: () => undefined, warn: () => undefined }

function bench(answer: (ping: Ping) => PingResult | Promise<PingResult> = () => 'done') {
  const clock = heldClock()
  const sent: string[] = []
  const warnings: unknown[] = []
  const pinger = createPinger({
    async send(ping, signal) {
      sent.push(`${ping.check} ${ping.outcome} ${ping.runId}`)
      const ended = new Promise<PingResult>((resolve) =>
        signal.addEventListener('abort', () => resolve({ problem: 'ended', again: false })),
      )
      return Promise.race([answer(ping), ended])
    },
    clock,
    log: { ...silent, warn: (facts: object) => warnings.push(facts) },
  })
  onTestFinished(() => pinger.stop())
  const ping = (runId: string, own: Partial<Ping> = {}) => {
    const at = clock.now()
    pinger.ping({ check: 'nightly', outcome: 'success', at, lateAt: at + 60_000, runId, ...own })
  }
  return { clock, sent, warnings, pinger, ping }
}

const hangs = () => new Promise<PingResult>(() => undefined)
const away: PingResult = { problem: 'connection refused', again: true }

test('the first ping of a check is sent at once, and then the newest in each 15 seconds', async () => {
  const { clock, sent, ping } = bench()
  for (const runId of ['1', '2', '3', '4']) {
    ping(runId, { outcome: 'fail' })
    await clock.pass(2000)
  }
  expect(sent).toEqual(['nightly fail 1'])
  await clock.pass(15_000)
  expect(sent).toEqual(['nightly fail 1', 'nightly fail 4'])
  await clock.pass(60_000)
  expect(sent).toHaveLength(2)
})

test('10,000 failures in an hour are four pings a minute, and one in memory', async () => {
  const { clock, sent, ping, pinger } = bench()
  for (let index = 0; index < 10_000; index += 1) {
    ping(String(index), { outcome: 'fail' })
    expect(pinger.held()).toBeLessThanOrEqual(1)
    await clock.pass(360)
  }
  expect(sent.length).toBeGreaterThan(200)
  expect(sent.length).toBeLessThanOrEqual(241)
})

test('checks do not wait for each other', async () => {
  const { clock, sent, ping } = bench(({ check }) => (check === 'a' ? hangs() : 'done'))
  ping('1', { check: 'a' })
  ping('2', { check: 'b' })
  await clock.pass(1000)
  ping('3', { check: 'a' })
  ping('4', { check: 'b' })
  await clock.pass(16_000)
  expect(sent).toEqual(['a success 1', 'b success 2', 'b success 4'])
})

test('an older ping never replaces a newer one, sent or not', async () => {
  const { clock, sent, ping } = bench()
  ping('new')
  ping('old', { at: clock.now() - 1, outcome: 'fail' })
  await clock.pass(1000)
  ping('older', { at: clock.now() - 5000, outcome: 'fail' })
  await clock.pass(30_000)
  expect(sent).toEqual(['nightly success new'])
})

test('a ping that could not be sent is tried again until it is late, and a late one is never sent', async () => {
  const answers: PingResult[] = [away, 'done']
  const { clock, sent, ping } = bench(() => answers.shift() ?? 'done')
  ping('1')
  await clock.pass(20_000)
  expect(sent).toEqual(['nightly success 1', 'nightly success 1'])

  const gone = bench(() => away)
  gone.ping('1')
  await gone.clock.pass(300_000)
  // It sends pings at 0, 15, 30, 45 and perhaps 60 seconds.
  expect(gone.sent.length).toBeLessThanOrEqual(5)
  expect(gone.pinger.held()).toBe(0)
  // The failure is logged once.
  expect(gone.warnings).toHaveLength(1)
})

test('a machine that slept sends nothing of before', async () => {
  const { clock, sent, ping } = bench(() => away)
  ping('1')
  await clock.pass(1000)
  const before = sent.length
  ping('2', { at: clock.now() - 61_000, lateAt: clock.now() - 1000 })
  ping('3', { check: 'other', at: clock.now() - 61_000, lateAt: clock.now() - 1000 })
  await clock.pass(10_000)
  expect(sent).toHaveLength(before)
})

test('what the monitor refuses is not sent again', async () => {
  const { clock, sent, ping } = bench(() => ({ problem: 'it answered 404', again: false }))
  ping('1')
  await clock.pass(60_000)
  expect(sent).toHaveLength(1)
})

test('a receiver that hangs holds 20 requests, and what waits is dropped when it is late', async () => {
  const { clock, ping, pinger, sent } = bench(hangs)
  for (let index = 0; index < 1000; index += 1) ping(String(index), { check: `c${index % 100}` })
  for (let index = 0; index < 1000; index += 1) ping(`x${index}`, { check: `c${index % 100}`, at: clock.now() + 1 })
  await clock.pass(1000)
  expect(sent).toHaveLength(20)
  expect(pinger.held()).toBeLessThanOrEqual(100)
  await clock.pass(61_000)
  expect(pinger.held()).toBe(20)
  await pinger.stop()
})
