import type { Template, Trigger } from '../core/pipeline.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import type { Reporter } from '../document/reporter.ts'
import { isTimeZone } from '../expressions/date-functions.ts'
import { MAX_DECLARATIONS } from './document-schema.ts'
import { durationAt, oneOf } from './read-policies.ts'
import type { TemplateReader } from './template-reader.ts'

/** A trigger with the node that it was read from. */
export interface TriggerDraft {
  readonly trigger: Trigger
  readonly node: DocumentNode
}

/** The triggers of a document. */
export function readTriggers(root: DocumentNode, templates: TemplateReader, reporter: Reporter): TriggerDraft[] {
  const ids = new Set<string>()
  return itemsOf(childOf(root, 'triggers'))
    .slice(0, MAX_DECLARATIONS)
    .flatMap((node) => {
      const idNode = childOf(node, 'id')
      const id = textOf(idNode)
      if (id !== undefined && idNode && ids.has(id)) {
        reporter.error({ code: 'duplicate-id', message: `there are two triggers ${id}` }, idNode)
      }
      if (id !== undefined) ids.add(id)
      const trigger = readTrigger(node, id ?? '', templates, reporter)
      return trigger ? [{ trigger, node }] : []
    })
}

function readTrigger(
  node: DocumentNode,
  id: string,
  templates: TemplateReader,
  reporter: Reporter,
): Trigger | undefined {
  const schedule = childOf(node, 'schedule')
  const watch = childOf(node, 'watch')
  if (schedule && watch) {
    const message = 'a trigger is a schedule or a watch, not both'
    reporter.error({ code: 'wrong-value', message, hint: 'write two triggers' }, node)
    return undefined
  }
  const inputs: Record<string, Template> = {}
  for (const [name, { value }] of entriesOf(childOf(node, 'inputs'))) inputs[name] = templates.read(value)
  const base = { id, inputs, at: reporter.positionOf(node) }
  if (schedule) return { ...base, kind: 'schedule', ...readSchedule(schedule, reporter) }
  if (watch) return { ...base, kind: 'watch', ...readWatch(watch) }
  if (node.kind === 'map') {
    reporter.error({ code: 'missing-key', message: 'a trigger needs schedule or watch' }, node)
  }
  return undefined
}

function readSchedule(node: DocumentNode, reporter: Reporter) {
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
  return {
    cron,
    timezone,
    missed: oneOf(['none', 'last', 'all'], childOf(node, 'missed')) ?? 'last',
    overlap: oneOf(['skip', 'queue', 'cancelRunning', 'allow'], childOf(node, 'overlap')) ?? 'skip',
    jitterMs: durationAt(node, 'jitter') ?? 0,
  } as const
}

/** The shape only: what a field can hold, the schedule knows. */
function looksLikeCron(cron: string): boolean {
  const fields = cron.trim().split(/\s+/)
  return fields.length === 5 && fields.every((field) => /^[0-9A-Za-z*/,#?-]{1,100}$/.test(field))
}

function readWatch(node: DocumentNode) {
  return {
    path: textOf(childOf(node, 'path')) ?? '',
    pattern: textOf(childOf(node, 'pattern')) ?? '',
    settleMs: durationAt(node, 'settle') ?? 2000,
    done: textOf(childOf(node, 'done')) ?? '',
    failed: textOf(childOf(node, 'failed')) ?? '',
  }
}
