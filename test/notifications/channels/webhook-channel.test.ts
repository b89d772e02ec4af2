import { describe, expect, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { webhookChannel } from '../../../src/notifications/channels/webhook-channel.ts'
import { testMessage } from '../../../src/notifications/message.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { hastyClock } from './support/hasty-clock.ts'
import { type Answer, URL_SECRET, webhookReceiver } from './support/webhook-receiver.ts'

const NOW = Date.UTC(2026, 10, 21, 2)
const MESSAGE = testMessage('ops', NOW)

async function send(answer: Answer, clock: SteadyClock = systemClock) {
  const receiver = await webhookReceiver(answer)
  const channel = webhookChannel({
    name: 'ops',
    url: new URL(receiver.url),
    format: 'json',
    clock: { ...clock, now: () => NOW },
    redact: (text) => text,
  })
  const delivery = await channel.send(MESSAGE, new AbortController().signal)
  expect(JSON.stringify(delivery)).not.toContain(URL_SECRET)
  return { receiver, delivery }
}

test.each([200, 202, 204])('%d is a delivery', async (status) => {
  const { receiver, delivery } = await send({ status })
  expect(delivery).toEqual({ state: 'delivered', answer: `${receiver.origin} answered ${status}` })
  expect(receiver.bodies).toMatchObject([{ event: 'test', title: 'Test of channel ops' }])
})

describe('what is no delivery says why, and whether another message has a chance', () => {
  test.each([
    ['a refusal', { status: 404, body: 'no_service' }, 'answered 404: no_service', 'channel'],
    [
      'a body that is not taken',
      { status: 400, body: ' invalid\n payload ' },
      'answered 400: invalid payload',
      'message',
    ],
    ['an error of the server', { status: 503 }, 'answered 503', 'channel'],
    [
      'a redirect, which is not followed',
      { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
      'answered 307, a redirect, which is not followed',
      'channel',
    ],
    ['a lost connection', 'hangUp', 'cannot be reached', 'channel'],
  ] as const)('%s', async (_name, answer, reason, concerns) => {
    const { delivery } = await send(answer)
    expect(delivery).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason), concerns })
  })

  test('a receiver that says what it was called by is not told on', async () => {
    const { delivery } = await send({
      status: 404,
      body: `no /services/${URL_SECRET} here, nor services/${URL_SECRET}`,
    })
    expect(delivery).toMatchObject({ reason: expect.stringMatching(/: no \*\*\* here, nor \*\*\*\/\*\*\*$/) })
  })

  test('where all of it is a slash, slashes stay', async () => {
    const { origin } = await webhookReceiver({ status: 400, body: 'want text/plain' })
    const channel = webhookChannel({
      name: 'ops',
      url: new URL(origin),
      format: 'json',
      clock: { ...systemClock, now: () => NOW },
      redact: (text) => text,
    })
    expect(await channel.send(MESSAGE, new AbortController().signal)).toMatchObject({
      reason: `${origin} answered 400: want text/plain`,
    })
  })

  test('a long answer is told in part', async () => {
    const { delivery } = await send({ status: 500, body: 'x'.repeat(1_000_000) })
    expect(delivery).toMatchObject({ reason: expect.stringMatching(/: x{200}$/) })
  })

  test.each([
    ['seconds', '120', 120_000],
    ['a fraction', '1.5', 1500],
    ['a date', 'Sat, 21 Nov 2026 02:05:00 GMT', 300_000],
  ])('with Retry-After in %s', async (_name, header, retryAfterMs) => {
    const date = 'Sat, 21 Nov 2026 02:00:00 GMT'
    const { delivery } = await send({ status: 429, headers: { 'retry-after': header, date } })
    expect(delivery).toMatchObject({ state: 'failed', retryAfterMs })
  })
})

test('a receiver that does not answer is given up after a while', async () => {
  const { delivery } = await send('hang', hastyClock(10_000))
  expect(delivery).toMatchObject({ state: 'failed', reason: expect.stringContaining('no answer within 10 seconds') })
})

test('a stop ends a delivery at once', async () => {
  const receiver = await webhookReceiver('hang')
  const channel = webhookChannel({
    name: 'ops',
    url: new URL(receiver.url),
    format: 'slack',
    clock: { ...systemClock, now: () => NOW },
    redact: (text) => text,
  })
  const stop = new AbortController()
  const sent = channel.send(MESSAGE, stop.signal)
  stop.abort(new Error('stopped'))
  await expect(sent).rejects.toThrow('stopped')
})
