import { LIST_LIMITS, type ListLimits } from '../core/list-limits.ts'
import { parseSize } from '../core/size.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { durationOf } from './duration-of.ts'
import type { ListsConfig } from './lists-schema.ts'

/** Node and DuckDB themselves need a hundred megabytes. */
const LEAST_MEMORY = 256e6

/** The limits of a configuration that `checkLists` has checked. */
export function listLimitsOf({ memory = '', timeout, maxUnpacked = '', ...counts }: ListsConfig = {}): ListLimits {
  return {
    memoryBytes: parseSize(memory) ?? LIST_LIMITS.memoryBytes,
    timeoutMs: durationOf(timeout, LIST_LIMITS.timeoutMs),
    maxUnpackedBytes: parseSize(maxUnpacked) ?? LIST_LIMITS.maxUnpackedBytes,
    maxRatio: counts.maxRatio ?? LIST_LIMITS.maxRatio,
    atOnce: counts.atOnce,
  }
}

/** Checks what the schema of audience.yaml cannot express about `lists`. */
export function checkLists(root: DocumentNode, reporter: DiagnosticCollector): void {
  const memory = childOf(childOf(root, 'lists'), 'memory')
  const bytes = parseSize(textOf(memory) ?? '')
  if (memory && bytes !== undefined && bytes < LEAST_MEMORY)
    reporter.error({ code: 'wrong-value', message: 'lists.memory is too small: a list needs at least 256MB' }, memory)
}
