import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body, as received. */
  readonly text: string
  readonly encrypted: boolean
  readonly user: string | undefined
}

export const CERTIFICATE = readFileSync(new URL('localhost-cert.pem', import.meta.url), 'utf8')
const key = readFileSync(new URL('localhost-key.pem', import.meta.url), 'utf8')

export const MAIL_USER = { user: 'audience', password: 'p4ss-of-the-mailer' }

/** A mail server on this machine with its own certificate. It ends with the test. */
export async function mailReceiver(
  options: {
    readonly security?: 'starttls' | 'tls' | 'none'
    readonly login?: boolean
    readonly refuse?: SMTPServerOptions['onRcptTo']
  } = {},
): Promise<{ readonly port: number; readonly mails: Mail[] }> {
  const { security = 'starttls', login = false, refuse } = options
  const mails: Mail[] = []
  const server = new SMTPServer({
    key,
    cert: CERTIFICATE,
    secure: security === 'tls',
    disabledCommands: [...(security === 'none' ? ['STARTTLS'] : []), ...(login ? [] : ['AUTH'])],
    authOptional: !login,
    ...(refuse && { onRcptTo: refuse }),
    onAuth({ username, password }, _session, done) {
      if (username === MAIL_USER.user && password === MAIL_USER.password) done(null, { user: username })
      else done(new Error('wrong user or password'))
    },
    onData(stream, session, done) {
      let text = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text,
          encrypted: session.secure,
          user: session.user === undefined ? undefined : String(session.user),
        })
        done()
      })
    },
  })
  // A client that does not trust the certificate disconnects during the handshake.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, mails }
}
