import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { isJsonObject, type JsonObject, parseForeignJson, stringifyJson } from '../core/json.ts'
import { fieldPlace, pathWriter } from '../http/operation.ts'
import {
  type ControlOperation,
  type ControlOperationId,
  controlOperations,
} from '../service/control/control-operations.ts'

/** Calls an operation of the service's control API. */
export type CallService = (id: ControlOperationId, input?: object) => Promise<JsonObject>

export function serviceControl(
  control: { readonly url: string; readonly token: string },
  connect: () => Socket,
): CallService {
  return (id, input = {}) =>
    new Promise((resolve, reject) => {
      const operation: ControlOperation = controlOperations[id]
      const { method, path } = operation
      const fields = Object.entries(input).filter(
        ([name, value]) => value !== undefined && fieldPlace(operation, name) !== 'path',
      )
      const isInBody = method === 'POST'
      const query = isInBody
        ? ''
        : `?${new URLSearchParams(Object.fromEntries(fields.map(([name, value]) => [name, `${value}`])))}`
      const url = new URL(`${control.url}${pathWriter(path)({ ...input })}${query}`)
      const sent = httpRequest(
        url,
        {
          method,
          createConnection: () => connect(),
          headers: {
            authorization: `Bearer ${control.token}`,
            connection: 'close',
            ...(isInBody && { 'content-type': 'application/json' }),
          },
        },
        (answer) => {
          text(answer).then((body) => {
            const value = body === '' ? {} : parseForeignJson(body)
            if (answer.statusCode === 200 && isJsonObject(value)) resolve(value)
            else reject(new Error(`${id} was answered with ${answer.statusCode}: ${body}`))
          }, reject)
        },
      )
      sent.on('error', reject)
      sent.end(isInBody ? stringifyJson(Object.fromEntries(fields)) : undefined)
    })
}
