import type { Transporter } from 'nodemailer'
import { type SteadyClock, within } from '../../core/clock.ts'
import { formatTimeLimit } from '../../core/format/duration-text.ts'
import { sha256 } from '../../core/sha256.ts'
import { maskPersonal } from '../../policy/personal-data.ts'
import { type Message, plainText, shortened } from '../message.ts'
import type { Channel, Delivery } from './channel.ts'

/** A server for e-mail. */
export interface MailServer {
  readonly host: string
  readonly port: number
  readonly security: 'starttls' | 'tls' | 'none'
  readonly login?: { readonly user: string; readonly password: string }
  /** A certificate to trust besides those that Node trusts, in PEM. */
  readonly ca?: string
  readonly from: string
}

const TIMEOUT_MS = 20_000

/** Notifies people by e-mail. Each message gets its own connection, because messages are rare. */
export function emailChannel(options: {
  name: string
  server: MailServer
  to: readonly string[]
  clock: Pick<SteadyClock, 'timer'>
}): Channel {
  const { name, server, to, clock } = options
  let transporter: Promise<Transporter> | undefined
  return {
    name,
    async send(message, signal) {
      transporter ??= openTransporter(server)
      const mailer = await transporter
      try {
        const mail = {
          ...mailOf(message),
          from: server.from,
          to: [...to],
          headers: { 'Auto-Submitted': 'auto-generated' },
        }
        const send = (timely: AbortSignal) => mailer.sendMail({ ...mail, signal: timely })
        const sent = await within(TIMEOUT_MS, send, { clock, signal })
        return masked(deliveryOf(sent, server), [server, to])
      } catch (error) {
        signal.throwIfAborted()
        return masked(failureOf(error, server), [server, to])
      }
    },
  }
}

/** nodemailer is loaded only when e-mail is sent. */
async function openTransporter({ host, port, security, login, ca }: MailServer): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    auth: login && { user: login.user, pass: login.password },
    tls: ca === undefined ? undefined : { ca },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The server's text, without personal data except the addresses configured here. */
function masked(delivery: Delivery, [{ from, host, login }, to]: readonly [MailServer, readonly string[]]): Delivery {
  const own = [from, host, login?.user, ...to].map((text) => text?.toLowerCase())
  const mask = (text: string) => maskPersonal(text, (found) => own.includes(found.toLowerCase()))
  return delivery.state === 'delivered'
    ? { ...delivery, answer: mask(delivery.answer) }
    : { ...delivery, reason: mask(delivery.reason) }
}

/** The server may refuse some recipients and accept others. */
function deliveryOf(sent: { response?: unknown; rejected?: unknown }, server: MailServer): Delivery {
  const refused =
    Array.isArray(sent.rejected) && sent.rejected.length > 0 ? `, not for ${sent.rejected.join(', ')}` : ''
  return { state: 'delivered', answer: `${server.host} answered ${String(sent.response)}${refused}` }
}

function failureOf(error: unknown, { host, port, security }: MailServer): Delivery {
  const { message, name, code, responseCode } =
    error instanceof Error ? (error as SmtpError) : { message: String(error), name: '' }
  const late = name === 'TimeoutError' ? `no answer within ${formatTimeLimit(TIMEOUT_MS)}` : message
  const refused = responseCode !== undefined && responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  const hint =
    code === 'ETLS' || message.includes('SSL routines')
      ? `; smtp.security is ${security}: check that the port supports it`
      : ''
  return { state: 'failed', reason: `${host}:${port}: ${late}${hint}`, concerns: refused ? 'message' : 'channel' }
}

/** The properties that nodemailer adds to its errors. */
interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
}

const MAX_SUBJECT = 200

/**
 * A message as an e-mail. If it is sent twice, both copies have the same Message-ID, and many mail readers show it
 * once.
 */
export function mailOf(message: Message) {
  const { key, title } = message
  return {
    subject: `[audience] ${shortened(title.replace(/\p{Cc}+/gu, ' '), MAX_SUBJECT)}`,
    text: `${title}\n\n${plainText(message)}\n`,
    messageId: `<${sha256(key).slice(0, 32)}@audience-pipelines>`,
  }
}
