import { type Operation, type Place, placeOf } from '../../contract/operation.ts'
import { isOperationId, type OperationId, operationOf, operations } from '../../contract/operations.ts'
import type { Json } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { encoderOf } from './encode-output.ts'

/** An operation with what every request to it needs, worked out once. */
export interface Endpoint {
  readonly id: OperationId
  readonly operation: Operation
  /** Fields of the path and of the query. */
  readonly parameters: readonly Field[]
  /** Fields of the JSON body, by name; empty where there is none. */
  readonly bodyFields: ReadonlyMap<string, Field>
  /** The body of an answer; empty where the operation has none. */
  encode(output: Json): string
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly place: Place
  /** Whether null says something; elsewhere it is the same as leaving the field out (decision 15). */
  readonly takesNull: boolean
}

/** The endpoints of every path of the contract, each path's by method. */
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
