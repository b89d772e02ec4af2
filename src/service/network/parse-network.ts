import { InvalidDocumentError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { type SchemaViolation, violationsOf } from '../../core/validation.ts'
import { DiagnosticCollector } from '../../document/diagnostic-collector.ts'
import { nodeAt } from '../../document/document-node.ts'
import { toValue } from '../../document/plain-value.ts'
import { readYaml } from '../../document/read-yaml.ts'
import { reportViolations } from '../../document/report-violations.ts'
import { validators } from '../../generated/validators.ts'
import type { Network } from './network.ts'
import { NetworkFile } from './network-file.ts'
import { referenceProblems } from './network-references.ts'
import { resolveNetwork } from './resolve-network.ts'

const TEXTS = { top: 'at the top of a network', patterns: {} }

/** Reads a `network.yaml`. Throws InvalidDocumentError with all problems and their positions. */
export function parseNetwork(text: string, file: string): Network {
  const reporter = new DiagnosticCollector(file, text)
  const root = readYaml(text, reporter)
  const value = root && inMemory(toValue(root))
  if (root && !isNetworkFile(value)) {
    const violations = plain(violationsOf(validators.network, value))
    reportViolations({ root, schema: NetworkFile, violations, texts: TEXTS }, reporter)
  }
  if (root && isNetworkFile(value)) {
    for (const { pointer, ...problem } of referenceProblems(value)) reporter.error(problem, nodeAt(root, pointer).node)
    if (!reporter.hasErrors) return resolveNetwork(value)
  }
  throw new InvalidDocumentError(file, text, reporter.diagnostics())
}

/**
 * Converts integers to numbers, and group ids to decimal strings. An integer beyond 2^53 stays a bigint, which no field
 * accepts.
 */
function inMemory(value: Json, key?: string): unknown {
  if (typeof value === 'bigint') {
    if (key === 'groupId') return String(value)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  if (Array.isArray(value)) return value.map((item) => inMemory(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inMemory(member ?? null, name)]))
}

function isNetworkFile(value: unknown): value is NetworkFile {
  return validators.network(value)
}

/**
 * If a value fits none of several alternatives, keeps only one kind of violation: the errors inside one alternative or,
 * if there are none, the list of alternatives.
 */
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
