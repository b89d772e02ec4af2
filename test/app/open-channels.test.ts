import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openChannels } from '../../src/app/open-channels.ts'
import { parseConfig } from '../../src/config/load-settings.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { testMessage } from '../../src/notifications/message.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { CERTIFICATE, MAIL_USER, mailReceiver } from '../notifications/channels/support/mail-receiver.ts'
import { webhookReceiver } from '../notifications/channels/support/webhook-receiver.ts'
import { tempFolder } from '../support/temp-folder.ts'

function open(yaml: string, env: Record<string, string> = {}) {
  const { notify, smtp } = parseConfig(yaml, 'audience.yaml')
  const secrets = createSecrets()
  const settings = { ...(notify && { notify }), ...(smtp && { smtp }) }
  return { secrets, channels: openChannels({ settings, env, secrets, clock: systemClock }) }
}

const signal = new AbortController().signal

test('without channels there are none', () => {
  expect(open('state: x').channels).toEqual([])
})

test('a web hook whose URL is in the environment: it is a secret', async () => {
  const { url, bodies, origin } = await webhookReceiver()
  const { channels, secrets } = open('notify: { channels: { ops: { webhook: { urlEnv: OPS_URL, format: slack } } } }', {
    OPS_URL: url,
  })
  expect(channels.map(({ name }) => name)).toEqual(['ops'])
  expect(await channels[0]?.send(testMessage('ops', 0), signal)).toMatchObject({ state: 'delivered' })
  expect(bodies).toMatchObject([{ text: 'Test of channel ops', blocks: expect.any(Array) }])
  expect(secrets.redact(`POST ${url}; ${origin}`)).toBe(`POST ***; ${origin}`)
  // A part of its path may be an ordinary word that runs use, so that part alone is not a secret.
  expect(secrets.redact('/services/list.csv')).toBe('/services/list.csv')
})

test('a web hook is signed with each secret and has the headers of the environment; all of them are secrets', async () => {
  const { url, requests } = await webhookReceiver()
  const [newer, older] = ['n', 'o'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`)
  const env = { OPS_URL: url, NEW: String(newer), OLD: String(older), AUTH: `Bearer ${'a'.repeat(20)}` }
  const { channels, secrets } = open(
    'notify: { channels: { ops: { webhook: { urlEnv: OPS_URL, secretEnv: [NEW, OLD], headersEnv: { Authorization: AUTH } } } } }',
    env,
  )
  await channels[0]?.send(testMessage('ops', 0), signal)
  expect(requests[0]?.headers).toMatchObject({ authorization: env.AUTH, 'content-type': 'application/json' })
  expect(String(requests[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  for (const secret of [env.NEW, env.OLD, env.AUTH]) expect(secrets.redact(secret)).toBe('***')
})

test('alerts of PagerDuty with a key of the environment, which is a secret', async () => {
  const { origin, bodies } = await webhookReceiver({ status: 202 })
  const yaml = `notify: { channels: { oncall: { pagerduty: { keyEnv: PD_KEY, url: "${origin}/v2/enqueue" } } } }`
  const key = 'p'.repeat(32)
  const { channels, secrets } = open(yaml, { PD_KEY: key })
  expect(channels).toMatchObject([{ name: 'oncall', resolves: true }])
  expect(await channels[0]?.send(testMessage('oncall', 0), signal)).toMatchObject({ state: 'delivered' })
  expect(bodies).toMatchObject([{ routing_key: key, event_action: 'trigger' }])
  expect(secrets.redact(key)).toBe('***')
  expect(() => open(yaml)).toThrow('PD_KEY with the key of channel oncall is not set')
})

test('e-mail with a login over a certificate of one’s own', async () => {
  const { port, mails } = await mailReceiver({ login: true })
  const caFile = join(tempFolder(), 'ca.pem')
  writeFileSync(caFile, CERTIFICATE)
  const { channels, secrets } = open(
    `notify: { channels: { mail: { email: { to: [team@example.com] } } } }
smtp: { host: 127.0.0.1, port: ${port}, from: audience@example.com, caFile: ${caFile}, user: ${MAIL_USER.user}, passwordEnv: SMTP_PASSWORD }
`,
    { SMTP_PASSWORD: MAIL_USER.password },
  )
  expect(await channels[0]?.send(testMessage('mail', 0), signal)).toMatchObject({ state: 'delivered' })
  expect(mails).toMatchObject([{ to: ['team@example.com'], user: MAIL_USER.user, encrypted: true }])
  expect(secrets.redact(MAIL_USER.password)).toBe('***')
})

test.each(['\n', '\r\n', '\0', '\u{1f511}'])(
  'a header that cannot be sent (%j) is refused by its variable, and never shown',
  (sign) => {
    const yaml =
      'notify: { channels: { ops: { webhook: { url: "https://example.com/", headersEnv: { Authorization: AUTH } } } } }'
    for (const value of [`geheim${sign}`, `geheim${sign}X-Other: geheim`, `${sign}geheim`]) {
      const refused = () => open(yaml, { AUTH: value })
      expect(refused).toThrow('the header Authorization of channel ops in AUTH cannot be sent')
      expect(refused).not.toThrow('geheim')
    }
  },
)

describe('what is missing is found at the start', () => {
  const SMTP = 'host: localhost, from: a@example.com'
  test.each([
    [
      'an environment variable with a URL',
      'notify: { channels: { ops: { webhook: { urlEnv: OPS_URL } } } }',
      'the environment variable OPS_URL with the URL of channel ops is not set',
    ],
    [
      'a secret that can sign',
      'notify: { channels: { ops: { webhook: { url: "https://example.com/", secretEnv: [SHORT] } } } }',
      'the secret of channel ops in SHORT cannot be used',
    ],
    [
      'a header',
      'notify: { channels: { ops: { webhook: { url: "https://example.com/", headersEnv: { Authorization: NONE } } } } }',
      'the environment variable NONE with the header Authorization of channel ops is not set',
    ],
    [
      'one with a password',
      `notify: { channels: { mail: { email: { to: [a@example.com] } } } }\nsmtp: { ${SMTP}, user: me, passwordEnv: PW }`,
      'the environment variable PW with the password of me at localhost is not set',
    ],
    [
      'a certificate',
      `notify: { channels: { mail: { email: { to: [a@example.com] } } } }\nsmtp: { ${SMTP}, caFile: gone.pem }`,
      'the certificate gone.pem of the mail server cannot be read',
    ],
    [
      'a URL that can be used',
      'notify: { channels: { ops: { webhook: { url: "https://me:pw@example.com/" } } } }',
      'the URL of the web hook of channel ops cannot be used',
    ],
  ])('%s', (_name, yaml, message) => {
    expect(() => open(yaml, { SHORT: 'abcd' })).toThrow(expect.objectContaining({ kind: 'invalid', message }))
  })
})
