import { exactObject, integer, type Static } from '../core/json-schema.ts'
import { LIST_LIMITS, type ListLimits } from '../core/list-limits.ts'
import { parseSize } from '../core/size.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { durationOf, durationSetting, sizeSetting } from './schema-parts.ts'

/** The resources of this machine that lists may use. */
export const lists = exactObject({
  description:
    'The resources of this machine that files.prepare may use for a list. A list that needs more fails its step.',
  properties: {
    memory: sizeSetting(
      'Memory of the process that reads the rows and runs sql: at least 256MB. The system ends a process that takes more. Default: 1GB.',
    ),
    timeout: durationSetting('The time limit for one list, counted from when its turn comes. Default: 30m.'),
    atOnce: integer(
      { minimum: 1, maximum: 64 },
      'How many lists are worked on at the same time, each with its memory; others wait for their turn. One run may use all of these places except one, so that its slow lists do not delay other runs. Default: as many as fit into half of the memory of this machine, from 2 to 4.',
    ),
    maxUnpacked: sizeSetting('The maximum unpacked size of the compressed files of one list. Default: 10GB.'),
    maxRatio: integer(
      { minimum: 1, maximum: 1_000_000 },
      'The maximum unpacked size of one compressed file, as a multiple of its compressed size; 100 MB are always allowed. Default: 200.',
    ),
  },
})

type ListsConfig = Static<typeof lists>

/** Node and DuckDB themselves need about a hundred megabytes. */
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
    reporter.wrongValue('lists.memory is too small: a list needs at least 256MB', memory)
}
