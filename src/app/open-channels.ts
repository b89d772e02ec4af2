import { readFileSync } from 'node:fs'
import type { ChannelConfig, SmtpConfig } from '../config/notify-config.ts'
import { channelNames, type Settings } from '../config/settings.ts'
import { AudienceError, invalidError } from '../core/errors.ts'
import type { Channel } from '../notifications/channels/channel.ts'
import { emailChannel, type MailServer } from '../notifications/channels/email-channel.ts'
import { PAGERDUTY_URL, pagerdutyChannel } from '../notifications/channels/pagerduty-channel.ts'
import { webhookUrl } from '../notifications/channels/post-json.ts'
import { signingKey } from '../notifications/channels/sign-webhook.ts'
import { webhookChannel } from '../notifications/channels/webhook-channel.ts'
import { type PostDeps, postTo } from './post-to.ts'

interface Deps extends PostDeps {
  settings: Pick<Settings, 'notify' | 'smtp'>
}

/**
 * The channels of audience.yaml, ready to send. Throws an AudienceError if an environment variable that a channel needs
 * is not set, because its notifications would not arrive.
 */
export function openChannels(deps: Deps): readonly Channel[] {
  return channelNames(deps.settings).map((name) => openChannel(name, deps))
}

/** One channel. No message that it sends contains a secret. */
export function openChannel(name: string, deps: Deps): Channel {
  const channel = channelOf(name, deps)
  return { ...channel, send: (message, signal) => channel.send(deps.secrets.redactData(message), signal) }
}

function channelOf(name: string, deps: Deps): Channel {
  const config: ChannelConfig = deps.settings.notify?.channels[name] ?? {}
  if (config.webhook) {
    const { urlEnv, format = 'json' } = config.webhook
    const text = config.webhook.url ?? variable(urlEnv, `the URL of channel ${name}`, deps)
    for (const secret of webhookSecrets(text)) deps.secrets.add(secret)
    const url = webhookUrl(text, `of channel ${name}${urlEnv === undefined ? '' : ` in ${urlEnv}`}`)
    const post = postTo(url, deps)
    const { redact } = deps.secrets
    const { clock } = deps
    const secrets = config.webhook.secretEnv?.map((variableName) => signingKeyIn(variableName, name, deps))
    const headers = headersOf(config.webhook.headersEnv ?? {}, name, deps)
    return webhookChannel({ name, url, format, headers, secrets, clock, redact, post })
  }
  if (config.pagerduty) {
    const { keyEnv, url: address = PAGERDUTY_URL } = config.pagerduty
    const key = variable(keyEnv, `the key of channel ${name}`, deps)
    deps.secrets.add(key)
    const url = webhookUrl(address, `of channel ${name}`)
    const { redact } = deps.secrets
    return pagerdutyChannel({ name, url, key, clock: deps.clock, redact, post: postTo(url, deps) })
  }
  const { smtp } = deps.settings
  // `checkNotify` has already refused a channel without a kind, and an e-mail channel without `smtp`.
  if (!config.email || !smtp) throw new Error(`channel ${name} has no kind`)
  return emailChannel({ name, to: config.email.to, server: mailServer(smtp, deps), clock: deps.clock })
}

function signingKeyIn(variableName: string, channel: string, deps: Deps): Buffer {
  const secret = variable(variableName, `a secret of channel ${channel}`, deps)
  deps.secrets.add(secret)
  const key = signingKey(secret)
  if (key) return key
  throw invalidError(
    'webhook-secret',
    `the secret of channel ${channel} in ${variableName} cannot be used`,
    'it must be base64 of 24 bytes or more, with or without whsec_ before it: echo "whsec_$(openssl rand -base64 32)"',
  )
}

function headersOf(names: Readonly<Record<string, string>>, channel: string, deps: Deps): Record<string, string> {
  const values = Object.entries(names).map(([header, variableName]) => {
    const value = variable(variableName, `the header ${header} of channel ${channel}`, deps)
    deps.secrets.add(value)
    if (!HEADER_VALUE.test(value))
      throw invalidError(
        'webhook-header',
        `the header ${header} of channel ${channel} in ${variableName} cannot be sent: it has a line break, or another character that headers cannot contain`,
        'write its value on one line',
      )
    return [header, value] as const
  })
  return Object.fromEntries(values)
}

/** The characters of a header field (RFC 9110 5.5). */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The secrets of a URL: the whole URL, and each part of its path and query that is too long to be a word. */
function webhookSecrets(text: string): readonly string[] {
  const { pathname = '', search = '' } = URL.parse(text) ?? {}
  return [text, ...`${pathname}${search}`.split(/[/?&=]/).filter(({ length }) => length >= SHORTEST_KEY)]
}

const SHORTEST_KEY = 16
const DEFAULT_PORTS = { starttls: 587, tls: 465, none: 25 } as const

function mailServer({ host, port, security = 'starttls', caFile, user, passwordEnv, from }: SmtpConfig, deps: Deps) {
  const server: MailServer = {
    host,
    port: port ?? DEFAULT_PORTS[security],
    security,
    from,
    ca: caFile === undefined ? undefined : readCertificate(caFile),
  }
  if (user === undefined) return server
  const password = variable(passwordEnv, `the password of ${user} at ${host}`, deps)
  deps.secrets.add(password)
  return { ...server, login: { user, password } }
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new AudienceError({
      code: 'no-certificate',
      kind: 'invalid',
      message: `the certificate ${file} of the mail server cannot be read`,
      hint: 'check smtp.caFile in audience.yaml',
      cause: error,
    })
  }
}

/** The value of a variable that audience.yaml names; throws an AudienceError if it is not set. */
export function variable(name: string | undefined, purpose: string, { env }: Pick<Deps, 'env'>): string {
  const value = name === undefined ? undefined : env[name]
  if (value) return value
  throw invalidError(
    'variable-not-set',
    `the environment variable ${name} with ${purpose} is not set`,
    'set it, or change its name in audience.yaml',
  )
}
