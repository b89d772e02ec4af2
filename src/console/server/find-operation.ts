import { type Endpoint, endpointsByPath, readPath } from '../../http/operation.ts'
import type { ApiOperation } from '../api/api-operation.ts'
import { type ApiOperationId, apiOperations } from '../api/operations.ts'
import { ApiFailure } from './api-failure.ts'

export interface FoundOperation<Id extends ApiOperationId = ApiOperationId> extends Endpoint<Id, ApiOperation> {
  /** The fields in the path, decoded. */
  readonly fields: Readonly<Record<string, string>>
}

const ENDPOINTS = [...endpointsByPath<ApiOperationId, ApiOperation>(apiOperations)]

/** Finds the operation of a request. `path` is below `/api/v1`. Throws a failure with status 404 or 405. */
export function findOperation(method: string | undefined, path: string): FoundOperation {
  const fitting = ENDPOINTS.flatMap(([template, byMethod]) => {
    const fields = readPath(template, path)
    return fields ? [...byMethod.values()].map((endpoint) => ({ ...endpoint, fields })) : []
  })
  const [first] = fitting
  if (!first)
    throw new ApiFailure(404, 'unknown-path', 'there is nothing at this path', 'GET openapi.json lists all paths')
  const found = fitting.find(({ operation }) => operation.method === (method === 'HEAD' ? 'GET' : method))
  if (found) return found
  const methods = fitting.map(({ operation }) => operation.method)
  throw new ApiFailure(405, 'wrong-method', `use ${methods.join(' or ')}`)
}
