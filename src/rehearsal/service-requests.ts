import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type AudienceError, failedError } from '../core/errors.ts'
import { isJsonObject, parseForeignJson } from '../core/json.ts'
import { JOURNAL_LENGTH } from '../service/control/request-journal.ts'
import { type CallControl, controlRequest } from '../service/local/control-client.ts'

/** A request to the service, as its control API reports it. */
export interface ReportedRequest {
  readonly method?: string
  readonly operation?: string | null
  readonly status?: number | null
  readonly fault?: { readonly action: string } | null
}

/** The requests to the service of a world. The service itself remembers only a limited number of them. */
export class ServiceRequests {
  #noted: ReportedRequest[] = []

  /** Notes the requests since the last call. */
  async note(control: CallControl): Promise<void> {
    const { requests } = await control('requests.list', { limit: JOURNAL_LENGTH })
    await control('requests.clear')
    const found = requests as readonly ReportedRequest[]
    if (found.length === JOURNAL_LENGTH) throw tooManyRequests()
    this.#noted.push(...found.toReversed())
  }

  /** All requests that were noted since the last call, oldest first. */
  take(): readonly ReportedRequest[] {
    const noted = this.#noted
    this.#noted = []
    return noted
  }
}

function tooManyRequests(): AudienceError {
  return failedError(
    'too-many-requests',
    `one day or one event had ${JOURNAL_LENGTH} requests or more, so its writes cannot be counted`,
    'split the event, or test a part of the pipeline',
  )
}

/** A client of the control API of a service that is reached through given connections. */
export function serviceControl(control: Parameters<typeof controlRequest>[0], connect: () => Socket): CallControl {
  return (id, input) =>
    new Promise((resolve, reject) => {
      const { url, method, headers, body } = controlRequest(control, id, input)
      const options = { method, headers: { ...headers, connection: 'close' }, createConnection: () => connect() }
      const sent = httpRequest(url, options, (answer) => {
        text(answer).then((written) => {
          const value = written === '' ? {} : parseForeignJson(written)
          if (answer.statusCode === 200 && isJsonObject(value)) resolve(value)
          else reject(new Error(`${id} was answered with ${answer.statusCode}: ${written}`))
        }, reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
}
