import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { isJsonObject, parseForeignJson } from '../core/json.ts'
import { type CallControl, controlRequest } from '../service/local/control-client.ts'

/** A client of the control API of a service that is reached by given connections. */
export function serviceControl(control: Parameters<typeof controlRequest>[0], connect: () => Socket): CallControl {
  return (id, input = {}) =>
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
