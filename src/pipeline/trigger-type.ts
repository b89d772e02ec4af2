import { FINAL_STATUSES } from '../core/format/statuses.ts'
import type { Trigger } from '../core/trigger.ts'
import { DYN, recordType, type Type } from '../expressions/types.ts'
import type { OtherPipeline, OtherPipelines } from './outline.ts'

/** The type of `trigger` in the expressions of a trigger. */
export function triggerType(trigger: Trigger, others?: OtherPipelines): Type {
  return recordType(`field of ${KINDS[trigger.kind]} trigger`, fieldsOf(trigger, others))
}

/** The kinds, in the words that documents use. */
const KINDS = { schedule: 'a schedule', watch: 'a watch', remote: 'a watch', after: 'an after' } as const

const TEXT: Type = { kind: 'string' }
const TEXTS: Type = { kind: 'list', items: TEXT }
const OF_CONTENT = { name: TEXT, size: { kind: 'int' }, modifiedAt: TEXT, sha256: TEXT } as const
const OF_FILES = { file: TEXT, ...OF_CONTENT } as const
const OF_SETS = { files: TEXTS, names: TEXTS, set: TEXT, ...OF_CONTENT } as const
const OF_ALL = { kind: TEXT, id: TEXT, at: TEXT }

/**
 * The fields that `fire-trigger.ts` gives, including the fields of a slot, a file or ended runs. A step's `trigger` may
 * be of any kind.
 */
function fieldsOf(trigger: Trigger, others: OtherPipelines | undefined): Readonly<Record<string, Type>> {
  switch (trigger.kind) {
    case 'schedule':
      return { ...OF_ALL, date: TEXT, time: TEXT, timezone: TEXT }
    case 'watch':
      return { ...OF_ALL, ...OF_FILES }
    case 'remote':
      return { ...OF_ALL, ...(trigger.waitFor ? OF_SETS : OF_FILES), source: TEXT, path: TEXT }
    case 'after': {
      const runs = trigger.pipelines.map((name) => [name, endedRunType(name, others?.(name))] as const)
      return { ...OF_ALL, runs: recordType('pipeline of this trigger', Object.fromEntries(runs)) }
    }
  }
}

/** A run that has ended; if its pipeline's document is not known, its outputs may have any name. */
function endedRunType(name: string, document: OtherPipeline | undefined): Type {
  const outputs: Type = document
    ? recordType(`output of ${name}`, Object.fromEntries(document.outputs.map((output) => [output, DYN])))
    : { kind: 'map' }
  return recordType(`field of a run of ${name}`, { runId: TEXT, status: RUN_STATUS, endedAt: TEXT, outputs })
}

const RUN_STATUS: Type = { kind: 'string', values: FINAL_STATUSES }
