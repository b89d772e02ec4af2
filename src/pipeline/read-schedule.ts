import { type ScheduleTrigger, WEEKDAYS } from '../core/pipeline.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import type { Reporter } from '../document/reporter.ts'
import { isTimeZone } from '../expressions/date-functions.ts'
import { durationAt, oneOf } from './read-policies.ts'

const DAY_MS = 86_400_000

/** What a `schedule` says, with what it leaves out. */
export function readSchedule(
  node: DocumentNode,
  reporter: Reporter,
): Omit<ScheduleTrigger, 'kind' | 'id' | 'if' | 'inputs' | 'at'> {
  const cronNode = childOf(node, 'cron')
  const cron = textOf(cronNode) ?? ''
  if (cronNode && cron !== '' && !looksLikeCron(cron)) {
    const message = 'the cron expression must have five fields: minute, hour, day, month, day of the week'
    reporter.error({ code: 'wrong-value', message, hint: 'such as "0 2 * * *", every day at two' }, cronNode)
  }
  const zoneNode = childOf(node, 'timezone')
  const timezone = textOf(zoneNode) ?? 'UTC'
  if (zoneNode && textOf(zoneNode) !== undefined && !isTimeZone(timezone)) {
    const message = `there is no time zone ${timezone}`
    reporter.error({ code: 'wrong-value', message, hint: 'such as America/New_York' }, zoneNode)
  }
  const deadline = textOf(childOf(node, 'deadline'))
  return {
    cron,
    timezone,
    missed: oneOf(['none', 'last', 'all'], childOf(node, 'missed')) ?? 'last',
    catchupWindowMs: durationAt(node, 'catchupWindow') ?? DAY_MS,
    overlap: oneOf(['skip', 'queue', 'cancelRunning', 'allow'], childOf(node, 'overlap')) ?? 'skip',
    jitterMs: durationAt(node, 'jitter') ?? 0,
    repeatedHour: oneOf(['once', 'twice'], childOf(node, 'repeatedHour')) ?? 'once',
    exclude: readExclude(childOf(node, 'exclude')),
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

/** The shape only: what a field can hold, the schedule knows. */
function looksLikeCron(cron: string): boolean {
  const fields = cron.trim().split(/\s+/)
  return fields.length === 5 && fields.every((field) => /^[0-9A-Za-z*/,#?-]{1,100}$/.test(field))
}
