import type { Json, JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { StepType } from '../core/step-type.ts'
import { typesOf } from './describe-schema.ts'

/**
 * An example input that a step type accepts, in its in-memory form: the required fields and, if a rule between fields
 * needs more, the first optional field that satisfies the rule. Throws if there is none, so that no page shows a wrong
 * example.
 */
export function exampleInput({ name, input, check }: StepType): JsonObject {
  const own = OF_STEP_TYPE[name]
  if (own) return own
  const required = Object.fromEntries((input.required ?? []).map((field) => [field, exampleOf(input, field)]))
  const more = Object.keys(input.properties).map((field) => ({ ...required, [field]: exampleOf(input, field) }))
  const found = [required, ...more].find((candidate) => check(candidate).length === 0)
  if (!found) throw new Error(`no example fits ${name}: give its fields values in example-input.ts`)
  return found
}

function exampleOf({ properties }: JsonSchema, field: string): Json {
  const schema = properties?.[field] ?? {}
  if (schema.format === 'file') return 'data/auto-intenders.csv'
  return NAMED[field] ?? exampleOfType(schema)
}

/**
 * Examples that cannot be derived from the fields alone: a column of the file, an existing document and one of its
 * inputs.
 */
const OF_STEP_TYPE: Readonly<Record<string, JsonObject>> = {
  'files.prepare': { from: { file: 'data/auto-intenders.csv' }, column: 'email', signal: 'EMAIL' },
  'pipelines.run': { file: 'quickstart.yaml', inputs: { minimumMatch: 500 } },
}

/** Values that explain more than their type; the ids come from the built-in network. */
const NAMED: Readonly<Record<string, Json>> = {
  file: 'auto-intenders.csv',
  segmentFileName: 'auto-intenders.csv',
  participantSegmentId: 'auto-intenders',
  segmentName: 'Auto intenders',
  activationName: 'Auto intenders Q4',
  uploadSignal: 'EMAIL',
  deliveryScopes: ['CABLE'],
  providerId: 1001,
  partnerId: 1002,
  groupId: '9001',
  refreshRate: 30,
  controlHoldoutPercent: 10,
  url: 'https://example.com/hooks/audience',
  text: 'The nightly run is done.',
}

function exampleOfType(schema: JsonSchema): Json {
  const [first] = schema.enum ?? []
  if (typeof first === 'string' || typeof first === 'number') return first
  switch (typesOf(schema)[0]) {
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return Math.max(1001, typeof schema.minimum === 'number' ? schema.minimum : 0)
    case 'array':
      return [exampleOfType(schema.items ?? {})]
    case 'object':
      return {}
    default:
      return '7001'
  }
}
