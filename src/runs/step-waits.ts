import { asksPartner, type Blocked, type PartnerWaits, type RunRecord, type StepRef, stepKey } from '../core/run.ts'
import { entryOf, itemRef } from './item.ts'

/**
 * The records after which a step execution waits neither for another step execution nor for a partner: it continued, or
 * another process checks again.
 */
const ENDS_WAITS: ReadonlySet<RunRecord['type']> = new Set<RunRecord['type']>([
  'effect.done',
  'step.started',
  'step.waiting',
  'attempt.failed',
  'step.finished',
])

/** Whether a record ends the wait of a step execution for another one. */
export function endsBlock({ type }: RunRecord): boolean {
  return ENDS_WAITS.has(type) || type === 'step.unblocked'
}

/** Whether a record ends the wait of a step execution for a partner. */
export function endsPartnerWait(record: RunRecord): boolean {
  return ENDS_WAITS.has(record.type) || (record.type === 'job.status' && !asksPartner(record))
}

/** What is known about the step executions before a record, by their keys. */
type Steps = ReadonlyMap<string, { readonly blocked?: Blocked; readonly asksPartner?: true }>

/** The key of the step execution that stops waiting for another one because of a record; undefined if none waited. */
export function unblockedBy(steps: Steps, record: RunRecord): string | undefined {
  if (!('step' in record) || !endsBlock(record)) return undefined
  const key = stepKey(record)
  return steps.get(key)?.blocked ? key : undefined
}

/** The key of the step execution whose partner has answered, according to a record; undefined if none waited. */
export function answeredBy(steps: Steps, record: RunRecord): string | undefined {
  if (!('step' in record) || !endsPartnerWait(record)) return undefined
  const key = stepKey(record)
  return steps.get(key)?.asksPartner ? key : undefined
}

interface Waiting extends StepRef {
  partnerWaits?: PartnerWaits<string> | undefined
}

/** Returns the steps. The item and the forEach of a step that waits for a partner show this wait, too. */
export function withItemsWaits<Step extends Waiting>(steps: Step[]): Step[] {
  const within = new Map<string, PartnerWaits<string>[]>()
  for (const step of steps) {
    const { partnerWaits, index, block } = step
    if (!partnerWaits || index === undefined) continue
    for (const key of [entryOf(step), ...(block === undefined ? [] : [stepKey(itemRef(step))])]) {
      const known = within.get(key)
      if (known) known.push(partnerWaits)
      else within.set(key, [partnerWaits])
    }
  }
  if (within.size > 0) for (const step of steps) step.partnerWaits ??= joined(within.get(stepKey(step)) ?? [])
  return steps
}

function joined(waits: readonly PartnerWaits<string>[]): PartnerWaits<string> | undefined {
  const [since] = waits.map((wait) => wait.since).toSorted()
  if (since === undefined) return undefined
  const [counterpart, ...others] = new Set(waits.map((wait) => wait.counterpart))
  const partners = 1 + others.length
  return { steps: waits.length, partners, counterpart: partners === 1 ? counterpart : undefined, since }
}
