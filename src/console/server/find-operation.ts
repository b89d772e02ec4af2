import { tried } from '../../core/tried.ts'
import { type Endpoint, endpointsByPath } from '../../http/operation.ts'
import type { ApiOperation } from '../api/api-operation.ts'
import { type ApiOperationId, apiOperations } from '../api/operations.ts'
import { ApiFailure } from './api-failure.ts'

export interface FoundOperation<Id extends ApiOperationId = ApiOperationId> extends Endpoint<Id, ApiOperation> {
  /** The fields in the path, decoded. */
  readonly fields: Readonly<Record<string, string>>
}

const PATHS = [...endpointsByPath<ApiOperationId, ApiOperation>(apiOperations)].map(([path, byMethod]) => ({
  segments: path.split('/'),
  endpoints: [...byMethod.values()],
}))

/** Finds the operation of a request. `path` is below `/api/v1`. Throws a failure with status 404 or 405. */
export function findOperation(method: string | undefined, path: string): FoundOperation {
  const given = path.split('/')
  const fitting = PATHS.flatMap(({ segments, endpoints }) => {
    const fields = fieldsOf(segments, given)
    return fields ? endpoints.map((endpoint) => ({ ...endpoint, fields })) : []
  })
  const [first] = fitting
  if (!first)
    throw new ApiFailure(404, 'unknown-path', 'there is nothing at this path', 'GET openapi.json lists all paths')
  const found = fitting.find(({ operation }) => operation.method === (method === 'HEAD' ? 'GET' : method))
  if (found) return found
  const methods = fitting.map(({ operation }) => operation.method)
  throw new ApiFailure(405, 'wrong-method', `use ${methods.join(' or ')}`)
}

function fieldsOf(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined
  const fields: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? ''
    if (!segment.startsWith('{')) {
      if (segment !== text) return undefined
      continue
    }
    const value = tried(() => decodeURIComponent(text))
    if (value === undefined) return undefined
    fields[segment.slice(1, -1)] = value
  }
  return fields
}
