import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { ApiOperation } from '../../../src/console/api/api-operation.ts'
import { streamEvents } from '../../../src/console/api/events.ts'
import { apiOperations } from '../../../src/console/api/operations.ts'
import { formats } from '../../../src/contract/formats.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true, formats })

const OPERATIONS = Object.values<ApiOperation>(apiOperations).map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  fits: ajv.compile(operation.output),
}))

/** Fails unless the answer to a request has exactly the form that the API promises; `path` is below `/api/v1/`. */
export function expectFits(method: string, path: string, body: unknown): void {
  const pathname = `/${path.split('?')[0]}`
  const found = OPERATIONS.find(({ operation, pattern }) => operation.method === method && pattern.test(pathname))
  expect(found, `${method} ${path}`).toBeDefined()
  found?.fits(body)
  expect(found?.fits.errors ?? [], `${method} ${path}`).toEqual([])
}

/** The same for an event of the stream. */
export function expectEventFits(name: string, data: unknown): void {
  const fits = ajv.compile(streamEvents[name as keyof typeof streamEvents])
  fits(data)
  expect(fits.errors ?? [], name).toEqual([])
}
