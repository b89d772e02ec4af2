import { _, Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { configSchema } from '../config/config-schema.ts'
import type { ApiOperation } from '../console/api/api-operation.ts'
import { EVENTS_PATH } from '../console/api/events.ts'
import { API_PATH, apiOperations } from '../console/api/operations.ts'
import { formats } from '../contract/formats.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { documentSchema } from '../pipeline/document-schema.ts'
import { testSchema } from '../rehearsal/test-schema.ts'
import type { ControlOperation } from '../service/control/control-operation.ts'
import { controlOperations } from '../service/control/control-operations.ts'
import { NetworkFile } from '../service/network/network-file.ts'
import { stepTypes } from '../steps/index.ts'

/**
 * The text of a module of src/generated/: schemas, compiled to plain functions ahead of time, so that startup needs no
 * ajv and compiles nothing. Lengths count UTF-16 units (decision 36).
 */
export function validatorsModule(name: string, schemas: Readonly<Record<string, JsonSchema>>): string {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    unicode: false,
    logger: false,
    verbose: false,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
    formats,
  })
  // Marks a rule between fields that only the service enforces; it does not affect the value (decision 41).
  ajv.addVocabulary(['x-client'])
  const names = Object.keys(schemas)
  const exportNames = Object.fromEntries(names.map((name, index) => [`validate_${index}`, name]))
  // A copy, because an object that two names share would be compiled into one function, and written twice.
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema({ ...schema }, name)
  const code = standalone.default(ajv, exportNames).replace('"use strict";', '')
  const imports = new Set<string>()
  const esm = code.replace(
    /require\("(ajv\/dist\/runtime\/(\w+))"\)\.default/g,
    (_match, path: string, name: string) => {
      imports.add(`import ${name}Module from '${path}.js'`)
      return `(${name}Module.default ?? ${name}Module)`
    },
  )
  return [
    '// @ts-nocheck: compiled by `npm run generate`; not in git.',
    "import { formats } from '../contract/formats.ts'",
    ...imports,
    esm,
    `export const ${name} = {`,
    ...names.map((name, index) => `  ${JSON.stringify(name)}: validate_${index},`),
    '}',
    '',
  ].join('\n')
}

/** Every schema that is compiled ahead of time, by the name that `validate(name, value)` takes. */
export function compiledSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    schemas[id] = withoutUndefined({ ...operation.input, allOf: operation.rules })
  }
  for (const [name, { compiled }] of stepTypes) schemas[name] ??= compiled
  for (const [id, { input, rules }] of Object.entries<ControlOperation>(controlOperations)) {
    schemas[`control.${id}`] = withoutUndefined({ ...input, allOf: rules })
  }
  schemas.config = configSchema
  schemas.network = NetworkFile
  schemas.pipeline = documentSchema
  schemas.test = testSchema
  return schemas
}

/** The schemas of the console's API, which only the console loads. */
export function consoleSchemas(): Record<string, JsonSchema> {
  const entries = Object.entries<ApiOperation>(apiOperations)
  return Object.fromEntries(entries.map(([id, { input }]) => [id, input]))
}

/** The text of a module with the paths of the console's API, by operation. Its client loads them without the schemas. */
export function apiPathsModule(): string {
  const known = Object.entries(apiOperations).map(([id, { path }]) => [id, path])
  const paths = JSON.stringify({ ...Object.fromEntries(known), 'events.follow': EVENTS_PATH }, null, 2)
  return `// Not in git.\nexport const API_PATH = '${API_PATH}'\nexport const apiPaths = ${paths} as const\n`
}
