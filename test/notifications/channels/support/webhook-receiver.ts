import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { bodyOf } from '../../../support/body-of.ts'

/** How a receiver answers: a status with a body and headers, or not at all. */
export type Answer =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'hangUp'
  | 'hang'

export interface Receiver {
  readonly origin: string
  /** The URL of the receiver, with a secret in it. */
  readonly url: string
  /** The received bodies. */
  readonly bodies: unknown[]
  /** The received requests, unchanged, with their headers. */
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly text: string }[]
  /** The answers from now on, in turn; the last one is repeated. */
  answer(...answers: Answer[]): void
}

export const URL_SECRET = 'T0K3N-of-the-hook'

/** A receiver of web hooks on this machine. It ends with the test. */
export async function webhookReceiver(...answers: Answer[]): Promise<Receiver> {
  const bodies: unknown[] = []
  const requests: { readonly headers: IncomingHttpHeaders; readonly text: string }[] = []
  let queue = answers
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (!body) return
    requests.push({ headers: request.headers, text: body.toString() })
    bodies.push(JSON.parse(body.toString()))
    reply(response, (queue.length > 1 ? queue.shift() : queue[0]) ?? { status: 200, body: 'ok' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/services/${URL_SECRET}`,
    bodies,
    requests,
    answer(...next) {
      queue = next
    },
  }
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return
  if (answer === 'hangUp') response.destroy()
  else response.writeHead(answer.status, answer.headers).end(answer.body)
}
