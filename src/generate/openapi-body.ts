import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { type Operation, placeOf } from '../contract/operation.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { OpenApiNode } from './openapi-node.ts'
import { wireSchema } from './wire-schema.ts'

/** Whether a request of this operation can have a body. */
export function takesBody(operation: Operation): boolean {
  return bodyFields(operation).length > 0
}

/** The request body of an operation: JSON, or multipart with the file as a part; undefined if it takes none. */
export function requestBody(operation: Operation): OpenApiNode | undefined {
  const fields = bodyFields(operation)
  if (fields.length === 0) return undefined
  const required = (operation.input.required ?? []).filter((name) => fields.some(([field]) => field === name))
  const schema = {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, bodySchema(operation, name, field)])),
    ...(operation.rules && { allOf: operation.rules }),
  }
  return {
    required: required.length > 0 || operation.rules !== undefined,
    content: { [operation.upload === undefined ? 'application/json' : 'multipart/form-data']: { schema } },
  }
}

function bodyFields(operation: Operation): [name: string, schema: JsonSchema][] {
  return Object.entries(operation.input.properties).filter(([name]) => {
    const place = placeOf(operation, name)
    return place === 'body' || place === 'part'
  })
}

function bodySchema(operation: Operation, name: string, schema: JsonSchema): JsonSchema {
  if (placeOf(operation, name) !== 'part') return wireSchema(schema)
  return {
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/octet-stream',
    description: `The file, with its file name; at most ${MAX_UPLOAD_BYTES} bytes (150 MB). One part, no other.`,
  }
}
