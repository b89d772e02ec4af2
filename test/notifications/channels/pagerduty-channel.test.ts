import { expect, test } from 'vitest'
import type { Notification } from '../../../src/core/notification.ts'
import { pagerdutyChannel } from '../../../src/notifications/channels/pagerduty-channel.ts'
import { testMessage, writeMessage } from '../../../src/notifications/message.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { type Answer, webhookReceiver } from './support/webhook-receiver.ts'

const AT = Date.UTC(2026, 10, 21, 2)
const KEY = 'R0UT1NGK3Y'
const FAILURE: Notification = {
  ...{ key: 'failure/r1', event: 'failure', at: AT, pipeline: 'nightly', owner: 'growth', runId: 'r1', step: 'match' },
  title: 'nightly failed at step "match"',
  error: { code: 'x', message: 'the partner refused', hint: 'ask them' },
  next: ['audience runs show r1'],
}

async function open(...answers: Answer[]) {
  const receiver = await webhookReceiver(...answers)
  const url = new URL(`${receiver.origin}/v2/enqueue`)
  const redact = (text: string) => text.replaceAll(KEY, '***')
  const channel = pagerdutyChannel({ name: 'oncall', url, key: KEY, clock: { ...systemClock, now: () => AT }, redact })
  const send = (notification: Notification) =>
    channel.send(writeMessage([notification], 'https://tools.example.com/audience/'), new AbortController().signal)
  return { receiver, channel, send }
}

test('a failure opens an alert of the pipeline, whatever the run, with what is known of it', async () => {
  const { receiver, send } = await open({ status: 202 })
  expect(await send(FAILURE)).toMatchObject({ state: 'delivered', answer: `${receiver.origin} answered 202` })
  const link = 'https://tools.example.com/audience/runs/r1'
  expect(receiver.bodies).toEqual([
    {
      routing_key: KEY,
      event_action: 'trigger',
      dedup_key: 'audience/nightly/failure',
      client: 'Audience Pipelines',
      client_url: link,
      links: [{ href: link, text: 'Open in the console' }],
      payload: {
        summary: 'nightly failed at step "match"',
        source: 'audience',
        severity: 'error',
        timestamp: '2026-11-21T02:00:00.000Z',
        component: 'nightly',
        group: 'growth',
        class: 'failure',
        custom_details: {
          ...{ Pipeline: 'nightly', Owner: 'growth', Run: 'r1', Step: 'match' },
          Text: 'the partner refused\nWhat to do: ask them',
          'What to do next': 'audience runs show r1',
        },
      },
    },
  ])
})

test('the severity is that of the document, and what is over closes the alert that it belongs to', async () => {
  const { receiver, send } = await open({ status: 202 })
  const base = { at: AT, pipeline: 'nightly', title: 't', next: [] }
  await send({ ...FAILURE, severity: 'critical' })
  await send({ ...base, key: 'recovery/r2', event: 'recovery', ends: 'failure' })
  await send({ ...base, key: 'answered/approval/nightly/1', event: 'answered', ends: 'approval' })
  await send({ ...base, pipeline: '', source: 'partner', key: 'source/over', event: 'recovery', ends: 'source' })
  expect(receiver.bodies).toMatchObject([
    { event_action: 'trigger', payload: { severity: 'critical' } },
    { event_action: 'resolve', dedup_key: 'audience/nightly/failure' },
    { event_action: 'resolve', dedup_key: 'audience/nightly/approval' },
    { event_action: 'resolve', dedup_key: 'audience/sources/partner/source' },
  ])
})

test('a test is an alert of its own that wakes nobody', async () => {
  const { receiver, channel } = await open({ status: 202 })
  await channel.send(testMessage('oncall', AT), new AbortController().signal)
  expect(receiver.bodies).toMatchObject([{ dedup_key: 'audience/test', payload: { severity: 'info' } }])
})

test('a refusal says why without the key', async () => {
  const { send } = await open(
    { status: 400, body: `bad key ${KEY}` },
    { status: 429, headers: { 'retry-after': '30' } },
  )
  expect(await send(FAILURE)).toMatchObject({
    reason: expect.stringContaining('400: bad key ***'),
    concerns: 'message',
  })
  expect(await send(FAILURE)).toMatchObject({ concerns: 'channel', retryAfterMs: 30_000 })
})
