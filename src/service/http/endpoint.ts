import { type Operation, type Place, placeOf } from '../../contract/operation.ts'
import { isOperationId, type OperationId, operationOf, operations } from '../../contract/operations.ts'
import type { Json } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { encoderOf } from './encode-output.ts'

/** An operation with the data that every request to it needs, computed once. */
export interface Endpoint {
  readonly id: OperationId
  readonly operation: Operation
  /** The fields of the path and the query. */
  readonly parameters: readonly Field[]
  /** The fields of the JSON body, by name; empty if there is none. */
  readonly bodyFields: ReadonlyMap<string, Field>
  /** The body of an answer; empty if the operation has none. */
  encode(output: Json): string
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly place: Place
  /** Whether null has a meaning; elsewhere null is the same as an absent field (decision 15). */
  readonly takesNull: boolean
}

/** The endpoints of the contract: by path, then by method. */
export function endpointsByPath(): ReadonlyMap<string, ReadonlyMap<string, Endpoint>> {
  const paths = new Map<string, Map<string, Endpoint>>()
  for (const id of Object.keys(operations).filter(isOperationId)) {
    const { path, method } = operationOf(id)
    const byMethod = paths.get(path) ?? new Map<string, Endpoint>()
    paths.set(path, byMethod.set(method, endpointOf(id)))
  }
  return paths
}

function endpointOf(id: OperationId): Endpoint {
  const operation = operationOf(id)
  const fields = Object.entries(operation.input.properties).map(([name, schema]) => {
    const isRequired = operation.input.required?.includes(name) === true
    return { name, schema, place: placeOf(operation, name), takesNull: isRequired || allowsNull(schema) }
  })
  return {
    id,
    operation,
    parameters: fields.filter(({ place }) => place === 'path' || place === 'query'),
    bodyFields: new Map(fields.filter(({ place }) => place === 'body').map((field) => [field.name, field])),
    encode: encoderOf(operation.output),
  }
}

function allowsNull(schema: JsonSchema): boolean {
  return Array.isArray(schema.type) && schema.type.includes('null')
}
