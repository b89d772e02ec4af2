import type { ErrorReport } from '../../core/errors.ts'
import { partnerText } from '../../core/format/partner-text.ts'
import type { StepStatus } from '../../core/format/statuses.ts'
import { asksPartner, type StepRef, stepKey, WAITS_FOR } from '../../core/run.ts'
import type { RunEvent } from '../../core/run-event.ts'
import { describeBlocked, describeLook, describeQueued } from '../../runs/describe-waits.ts'
import { describeGuard } from '../../runs/guards/describe-guard.ts'
import { itemRef } from '../../runs/item.ts'
import { createItemTracker, describeItems, type ItemsOutcome, itemName } from './describe-items.ts'
import { describeOutputs } from './describe-outputs.ts'
import { describeTook } from './describe-took.ts'
import { writeLocalTime } from './write-time.ts'

/** What is known about a step, or about an item of a forEach. */
export interface StepLine {
  /** The name as people write it; an item with its label. */
  readonly name: string
  /** The name of an item beside its step. */
  readonly shortName: string
  uses: string
  state: 'pending' | StepStatus
  startedAt?: number
  /** For a step that has ended. */
  took?: string
  bytes?: { sent: number; total: number }
  job?: { text: string; waitedMs: number; seenAt: number }
  note: string
  /** What its guard measured. */
  guard?: string
  error?: ErrorReport
  /** For a forEach: how its items have ended, and its items in the order in which they began. */
  outcome?: ItemsOutcome
  readonly items: StepLine[]
}

export interface Progress {
  event(event: RunEvent): void
  /** The steps in order; the items of a forEach are within it. */
  steps(): readonly Readonly<StepLine>[]
}

/**
 * Follows the events of a run. A step has its line from the start; an item of a forEach gets its line when it begins.
 */
export function createProgress(): Progress {
  const steps: StepLine[] = []
  const lines = new Map<string, StepLine>()
  const tracker = createItemTracker()

  /** A step of an item has no line of its own; the line of the item shows the current step. */
  function lineOf(event: StepRef & { label?: string }): StepLine {
    const ref = { ...itemRef(event), label: event.label }
    const key = stepKey(ref)
    const known = lines.get(key)
    if (known) return known
    const name = ref.label === undefined ? key : `${key} ${ref.label}`
    const shortName = ref.index === undefined ? key : itemName(ref)
    const line: StepLine = { name, shortName, uses: '', state: 'pending', note: '', items: [] }
    lines.set(key, line)
    if (ref.index === undefined) steps.push(line)
    else lineOf({ step: ref.step }).items.push(line)
    return line
  }

  /** A forEach runs until all of its items have ended. */
  function followItem(step: string, event: Extract<RunEvent, { step: string }>, at: number): void {
    const whole = lineOf({ step })
    const outcome = tracker.outcomeOf(step)
    if (outcome) whole.outcome = { ...outcome }
    if (whole.state === 'pending') whole.state = 'running'
    whole.startedAt ??= at
    if (event.event === 'step.started' && event.block === undefined) whole.uses = event.uses
  }

  return {
    steps: () => steps,
    event(event) {
      tracker.event(event)
      if (event.event === 'run.started') for (const step of event.steps) lineOf({ step })
      if (!('step' in event)) return
      const line = lineOf(event)
      const at = Date.parse(event.at)
      if (event.index !== undefined) followItem(event.block ?? event.step, event, at)
      switch (event.event) {
        case 'step.started':
          line.uses = event.block === undefined ? event.uses : `${event.step}: ${event.uses}`
          delete line.job
          delete line.bytes
          // Another step of the item may wait for a person.
          if (line.state !== 'waiting') line.state = 'running'
          line.startedAt ??= at
          line.note = event.attempt > 1 ? `attempt ${event.attempt}` : ''
          return
        case 'step.progress':
          line.bytes = { sent: event.bytesSent, total: event.bytesTotal }
          return
        case 'step.blocked':
          line.note = describeBlocked(event)
          return
        case 'step.looking':
          line.note = describeLook(event)
          return
        case 'step.unblocked':
          line.note = ''
          return
        case 'step.queued':
          line.note = describeQueued(event)
          return
        case 'step.retry':
          line.note = `attempt ${event.attempt} failed, next at ${writeLocalTime(Date.parse(event.retryAt)).slice(11)}`
          return
        case 'step.guarded':
          line.guard = describeGuard(event)
          return
        case 'step.waiting':
          line.state = 'waiting'
          line.note = `waits for ${WAITS_FOR[event.reason]}`
          line.error = event.error
          return
        case 'step.decided':
          line.state = 'running'
          line.note = ''
          delete line.error
          return
        case 'job.status':
          // The step has found the job that it was looking for.
          if (line.note.startsWith('looks for ')) line.note = ''
          line.job = {
            text: asksPartner(event) ? partnerText(event) : `job ${event.status}`,
            waitedMs: event.waitedMs,
            seenAt: at,
          }
          return
        case 'step.finished':
          if (event.block !== undefined) return
          line.state = event.status
          line.took = describeTook(event)
          line.note = line.outcome
            ? describeItems(line.outcome)
            : [describeOutputs(event.outputs), line.guard].filter(Boolean).join(', ')
          if (event.error) line.error = event.error
      }
    },
  }
}
