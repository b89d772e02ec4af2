import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { emailChannel, type MailServer } from '../../../src/notifications/channels/email-channel.ts'
import { testMessage } from '../../../src/notifications/message.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { hastyClock } from './support/hasty-clock.ts'
import { CERTIFICATE, MAIL_USER, mailReceiver } from './support/mail-receiver.ts'

const MESSAGE = testMessage('mail', 0)
const FROM = 'audience@example.com'
const TO = ['data-team@example.com', 'on-call@example.com']

function send(options: Partial<MailServer> & { port: number }, clock: SteadyClock = systemClock) {
  const server = { host: '127.0.0.1', security: 'starttls', ca: CERTIFICATE, from: FROM, ...options } as const
  const channel = emailChannel({ name: 'mail', to: TO, server, clock })
  return channel.send(MESSAGE, new AbortController().signal)
}

describe('an e-mail arrives', () => {
  test.each([
    ['starttls', true],
    ['tls', true],
    ['none', false],
  ] as const)('over %s', async (security, encrypted) => {
    const { port, mails } = await mailReceiver({ security })
    expect(await send({ port, security })).toMatchObject({
      state: 'delivered',
      answer: expect.stringContaining('127.0.0.1 answered 250'),
    })
    expect(mails).toMatchObject([{ from: FROM, to: TO, encrypted }])
    expect(mails[0]?.text).toMatch(/^Subject: \[audience\] Test of channel mail$/m)
    expect(mails[0]?.text).toMatch(/^Auto-Submitted: auto-generated$/im)
  })

  test('with a login', async () => {
    const { port, mails } = await mailReceiver({ login: true })
    expect(await send({ port, login: MAIL_USER })).toMatchObject({ state: 'delivered' })
    expect(mails).toMatchObject([{ user: MAIL_USER.user, encrypted: true }])
  })

  test('for some of its recipients, and says for whom not', async () => {
    const { port } = await mailReceiver({
      refuse: ({ address }, _session, done) => done(address === TO[1] ? new Error('unknown') : null),
    })
    expect(await send({ port })).toMatchObject({
      state: 'delivered',
      answer: expect.stringContaining(`not for ${TO[1]}`),
    })
  })
})

describe('an e-mail that does not says why', () => {
  const failed = (reason: RegExp, concerns = 'channel') => ({
    state: 'failed',
    reason: expect.stringMatching(reason),
    concerns,
  })

  test('to a server whose certificate is not trusted, and nothing is sent there', async () => {
    const { port, mails } = await mailReceiver({ login: true })
    const server = { host: '127.0.0.1', port, security: 'starttls', login: MAIL_USER, from: FROM } as const
    const channel = emailChannel({ name: 'mail', to: TO, server, clock: systemClock })
    const delivery = await channel.send(MESSAGE, new AbortController().signal)
    expect(delivery).toMatchObject(failed(/certificate|self.signed/))
    expect(mails).toEqual([])
  })

  test('to a server that cannot encrypt although it is to', async () => {
    const { port, mails } = await mailReceiver({ security: 'none' })
    expect(await send({ port, security: 'starttls' })).toMatchObject(failed(/STARTTLS|TLS/))
    expect(mails).toEqual([])
  })

  test('to a server that does not speak what it is to speak, and what that is', async () => {
    const { port } = await mailReceiver({ security: 'none' })
    expect(await send({ port, security: 'tls' })).toMatchObject(
      failed(/; smtp\.security is tls: check that the port supports it$/),
    )
  })

  test('with the wrong password, which it does not tell', async () => {
    const { port } = await mailReceiver({ login: true })
    const delivery = await send({ port, login: { user: 'audience', password: 'wr0ng-password' } })
    expect(delivery).toMatchObject(failed(/wrong user or password|Invalid login/))
    expect(JSON.stringify(delivery)).not.toContain('wr0ng-password')
  })

  test('where nobody listens', async () => {
    expect(await send({ port: 1 })).toMatchObject(failed(/127\.0\.0\.1:1.*ECONNREFUSED 127\.0\.0\.1:1$/))
  })

  test('where every recipient is refused: another message has a chance', async () => {
    const { port } = await mailReceiver({
      refuse: (_address, _session, done) => done(Object.assign(new Error('no such user'), { responseCode: 550 })),
    })
    expect(await send({ port })).toMatchObject(failed(/no such user|rejected/, 'message'))
  })

  test('where the server says nothing, after a while', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const delivery = await send({ port: (server.address() as AddressInfo).port }, hastyClock(20_000))
    expect(delivery).toMatchObject(failed(/no answer within 20 seconds/))
  })
})
