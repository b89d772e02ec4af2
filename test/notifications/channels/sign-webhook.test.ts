import { expect, test } from 'vitest'
import { signatureHeaders, signingKey } from '../../../src/notifications/channels/sign-webhook.ts'
import { webhookChannel } from '../../../src/notifications/channels/webhook-channel.ts'
import { testMessage } from '../../../src/notifications/message.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { webhookReceiver } from './support/webhook-receiver.ts'

/** A key of 32 bytes. The official library of Standard Webhooks accepted what is signed with such keys below. */
const keyOf = (letter: string) => Buffer.from(letter.repeat(32))

test('what is signed is the id, the time and the body, once with each secret', () => {
  const message = { key: 'failure/run-1', body: '{"test":1}', at: Date.UTC(2026, 10, 28) }
  const headers = signatureHeaders(message, [keyOf('n'), keyOf('o')])
  expect(headers).toEqual({
    'webhook-id': 'msg_0bc058fefae68ea61c8a75e3f407d110',
    'webhook-timestamp': '1795824000',
    'webhook-signature':
      'v1,IKdvcUwcGNFJeKaDWITLgitH89Z+Y+ZHVWNa3OIBYwk= v1,F5V0WSJlkkIJxtocnKDNgNkFaxv+umU/Bo4PcKP+2lA=',
  })
  expect(signatureHeaders(message, [])).toEqual({})
})

test('a message that is sent again keeps its id, and is signed anew', async () => {
  const { url, requests } = await webhookReceiver()
  let now = Date.UTC(2026, 10, 28)
  const redact = (text: string) => text
  const secrets = [keyOf('n')]
  const channel = webhookChannel({
    name: 'ops',
    url: new URL(url),
    format: 'json',
    clock: { ...systemClock, now: () => now },
    redact,
    secrets,
  })
  for (let send = 0; send < 2; send++) {
    await channel.send(testMessage('ops', 0), new AbortController().signal)
    now += 3_600_000
  }
  const [first, again] = requests.map(({ headers }) => headers)
  expect(again?.['webhook-id']).toBe(first?.['webhook-id'])
  expect(Number(again?.['webhook-timestamp'])).toBe(Number(first?.['webhook-timestamp']) + 3600)
  expect(again?.['webhook-signature']).not.toBe(first?.['webhook-signature'])
})

test.each([
  ['with its prefix', `whsec_${keyOf('n').toString('base64')}`, 32],
  ['without it', keyOf('n').toString('base64'), 32],
  ['too short', Buffer.from('n'.repeat(23)).toString('base64'), undefined],
  ['not base64', `whsec_${'-'.repeat(40)}`, undefined],
])('a secret %s', (_name, secret, bytes) => {
  expect(signingKey(secret)?.length).toBe(bytes)
})
