import type { Diagnostic } from '../../core/diagnostic.ts'
import { didYouMean } from '../../core/did-you-mean.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { propertyOf, type SchemaViolation, violationsOf } from '../../core/validation.ts'
import { validators } from '../../generated/validators.ts'
import type { Network } from './network.ts'
import { NetworkFile } from './network-file.ts'
import { referenceProblems } from './network-references.ts'
import { resolveNetwork } from './resolve-network.ts'
import { readYaml, type YamlDocument } from './yaml-document.ts'

/** Reads a `network.yaml`. Throws InvalidDocumentError with all its problems and their positions. */
export function parseNetwork(text: string, file: string): Network {
  const document = readYaml(text, file)
  if (document.errors.length > 0) {
    const syntax = document.errors.map(({ message, at }) => ({ severity: 'error', code: 'yaml', message, at }) as const)
    throw new InvalidDocumentError(file, text, syntax)
  }
  const value = inMemory(document.value)
  const violations = violationsOf(validators.network, value)
  if (violations.length > 0 || !isNetworkFile(value)) {
    throw new InvalidDocumentError(
      file,
      text,
      plain(violations).map((violation) => diagnosticOf(violation, document)),
    )
  }
  const problems = referenceProblems(value)
  if (problems.length > 0) {
    throw new InvalidDocumentError(
      file,
      text,
      problems.map(({ pointer, ...problem }) => ({ severity: 'error', ...problem, at: document.positionOf(pointer) })),
    )
  }
  return resolveNetwork(value)
}

/** Integers as numbers, group ids as decimal strings; one beyond 2^53 stays bigint, which no other field takes. */
function inMemory(value: unknown, key?: string): unknown {
  if (typeof value === 'bigint') {
    if (key === 'groupId') return String(value)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  if (Array.isArray(value)) return value.map((item) => inMemory(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inMemory(member, name)]))
}

function isNetworkFile(value: unknown): value is NetworkFile {
  return validators.network(value)
}

/** Of alternatives, the most telling complaint alone: what is wrong inside one of them, else what the others would be. */
function plain(violations: readonly SchemaViolation[]): SchemaViolation[] {
  const alternatives = violations.filter(({ keyword }) => keyword === 'anyOf').map(({ pointer }) => pointer)
  return violations.filter(({ keyword, pointer }) => {
    if (!alternatives.includes(pointer)) return true
    const inside = violations.some(
      (other) =>
        other.pointer.startsWith(`${pointer}/`) ||
        (other.pointer === pointer && other.keyword === 'additionalProperties'),
    )
    return inside ? keyword === 'additionalProperties' : keyword === 'enum'
  })
}

function diagnosticOf(violation: SchemaViolation, document: YamlDocument): Diagnostic {
  const unknownKey = violation.keyword === 'additionalProperties' ? propertyOf(violation) : undefined
  const hint = unknownKey === undefined ? undefined : didYouMean(unknownKey, namesAt(violation.pointer))
  return {
    severity: 'error',
    code: unknownKey === undefined ? 'invalid-value' : 'unknown-key',
    message: violation.message,
    ...(hint !== undefined && { hint }),
    at: document.positionOf(violation.pointer, unknownKey),
  }
}

/** The properties that the schema has at a JSON pointer. */
function namesAt(pointer: string): string[] {
  let schema: JsonSchema = NetworkFile
  for (const segment of pointer.split('/').slice(1)) {
    schema = (/^\d+$/.test(segment) ? schema.items : schema.properties?.[segment]) ?? {}
  }
  const alternatives = (schema.anyOf as readonly JsonSchema[] | undefined) ?? [schema]
  return alternatives.flatMap(({ properties = {} }) => Object.keys(properties))
}
