import { DAY_MS } from '../core/duration.ts'
import { type ScheduleTrigger, WEEKDAYS } from '../core/pipeline.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import { durationAt, oneOf } from './read-policies.ts'

/** A `schedule`, with defaults for missing fields. */
export function readSchedule(node: DocumentNode): Omit<ScheduleTrigger, 'kind' | 'id' | 'if' | 'inputs' | 'at'> {
  const deadline = textOf(childOf(node, 'deadline'))
  const repeatedHour = oneOf(['once', 'twice'], childOf(node, 'repeatedHour'))
  return {
    cron: textOf(childOf(node, 'cron')) ?? '',
    timezone: textOf(childOf(node, 'timezone')) ?? 'UTC',
    missed: oneOf(['none', 'last', 'all'], childOf(node, 'missed')) ?? 'last',
    catchupWindowMs: durationAt(node, 'catchupWindow') ?? DAY_MS,
    overlap: oneOf(['skip', 'queue', 'cancelRunning', 'allow'], childOf(node, 'overlap')) ?? 'skip',
    jitterMs: durationAt(node, 'jitter') ?? 0,
    exclude: readExclude(childOf(node, 'exclude')),
    ...(repeatedHour !== undefined && { repeatedHour }),
    ...(deadline !== undefined && { deadline }),
  }
}

function readExclude(node: DocumentNode | undefined): ScheduleTrigger['exclude'] {
  const file = textOf(childOf(node, 'file'))
  return {
    dates: itemsOf(childOf(node, 'dates')).flatMap((date) => textOf(date) ?? []),
    weekdays: itemsOf(childOf(node, 'weekdays')).flatMap((day) => oneOf(WEEKDAYS, day) ?? []),
    ...(file !== undefined && { file }),
  }
}
