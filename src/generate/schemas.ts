import { configSchema } from '../config/config-schema.ts'
import type { ApiOperation } from '../console/api/api-operation.ts'
import { apiOperations } from '../console/api/operations.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { documentSchema } from '../pipeline/document-schema.ts'
import { type ControlOperation, controlOperations } from '../service/control/control-operations.ts'
import { NetworkFile } from '../service/network/network-file.ts'
import { stepTypes } from '../steps/index.ts'

/** Every schema that is compiled ahead of time, by the name that `validate(name, value)` takes. */
export function compiledSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    schemas[id] = { ...operation.input, ...(operation.rules && { allOf: operation.rules }) }
  }
  for (const [name, { compiled }] of stepTypes) schemas[name] ??= compiled
  for (const [id, { input, rules }] of Object.entries<ControlOperation>(controlOperations)) {
    schemas[`control.${id}`] = { ...input, ...(rules && { allOf: rules }) }
  }
  schemas.config = configSchema
  schemas.network = NetworkFile
  schemas.pipeline = documentSchema
  return schemas
}

/** The schemas of the console's API, which only the console loads. */
export function consoleSchemas(): Record<string, JsonSchema> {
  const entries = Object.entries<ApiOperation>(apiOperations)
  return Object.fromEntries(entries.map(([id, { input }]) => [id, input]))
}
