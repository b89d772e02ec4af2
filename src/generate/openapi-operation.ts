import { type Operation, placeOf, VENDOR_MEDIA_TYPE } from '../contract/operation.ts'
import { requestBody } from './openapi-body.ts'
import type { OpenApiNode } from './openapi-node.ts'
import { errorsOf } from './openapi-problems.ts'
import { resourceOf } from './resources.ts'
import { wireSchema } from './wire-schema.ts'

/** One operation as a path item's method. */
export function openApiOperation(id: string, operation: Operation): OpenApiNode {
  const { summary, description, job, repeat } = operation
  const parameters = parametersOf(operation)
  const body = requestBody(operation)
  return {
    operationId: id,
    tags: [resourceOf(id)],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { [operation.status]: success(operation), ...errorsOf(operation) },
    ...(job && { 'x-starts-job': { resource: job.resource, read: job.read.operation } }),
    'x-repeat': repeat,
  }
}

function parametersOf(operation: Operation): OpenApiNode[] {
  return Object.entries(operation.input.properties).flatMap(([name, field]) => {
    const place = placeOf(operation, name)
    if (place !== 'path' && place !== 'query') return []
    const { description, ...schema } = wireSchema(field)
    return [{ name, in: place, required: operation.input.required?.includes(name) === true, description, schema }]
  })
}

function success({ output, job, list }: Operation): OpenApiNode {
  if (output === null) return { description: 'Done. The response has no body.' }
  const description = job ? 'The job that was started.' : list?.paged ? 'A page of the list.' : 'The result.'
  return { description, content: { [VENDOR_MEDIA_TYPE]: { schema: wireSchema(output) } } }
}
