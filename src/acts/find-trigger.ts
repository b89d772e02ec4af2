import type { Settings } from '../config/settings.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { type TriggerRef, triggerName, triggerRefOf } from '../core/occurrence.ts'
import type { Trigger } from '../core/trigger.ts'
import { type LiveDocument, type LiveTrigger, triggersOf } from '../daemon/documents/live-documents.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import { removedSchedules } from '../status/removed-schedules.ts'

type Documents = Iterable<LiveDocument>
type Where = Pick<Settings, 'pipelines'>

const WORDS = { schedule: 'schedule', watch: 'watched folder' } as const

/** The triggers of one kind that the names stand for, sorted by name. */
export function findTriggers<Kind extends Trigger['kind']>(
  documents: Documents,
  kind: Kind,
  asked: Partial<TriggerRef> = {},
): LiveTrigger<Kind>[] {
  return triggersOf(documents, kind, asked).sort(byName)
}

function byName(...pair: [LiveTrigger<Trigger['kind']>, LiveTrigger<Trigger['kind']>]): number {
  const [a = '', b = ''] = pair.map((live) => triggerName(triggerRefOf(live)))
  return a < b ? -1 : 1
}

/** Finds one trigger. Throws `unknown-trigger`. */
export function findTrigger<Kind extends keyof typeof WORDS>(
  documents: Documents,
  kind: Kind,
  { pipeline, trigger }: TriggerRef,
  where: Where,
): LiveTrigger<Kind> {
  const [found] = triggersOf(documents, kind, { pipeline, trigger })
  if (found) return found
  throw unknownTrigger(kind, { pipeline, trigger }, where)
}

/**
 * Throws `unknown-trigger` if no document has this schedule, unless it is a removed schedule that still has due slots.
 */
export async function requireSchedule(
  { pipeline, trigger }: TriggerRef,
  {
    documents,
    occurrences,
    where,
  }: {
    documents: readonly LiveDocument[]
    occurrences: Pick<OccurrenceStore, 'triggersDue' | 'list'>
    where: Where
  },
): Promise<void> {
  const ref = { pipeline, trigger }
  if (triggersOf(documents, 'schedule', ref).length > 0) return
  if ((await removedSchedules(documents, occurrences, ref)).length === 0) throw unknownTrigger('schedule', ref, where)
}

function unknownTrigger(kind: keyof typeof WORDS, ref: TriggerRef, where: Where): AudienceError {
  const hint = '`audience status` shows the triggers (in the API: GET pipelines)'
  return usageError('unknown-trigger', noneHas(kind, triggerName(ref), where), hint)
}

/** The error for a name that no schedule matches. `known`: the triggers whose names the hint may suggest. */
export function unknownSchedule(name: string, known: readonly TriggerRef[], where: Where): AudienceError {
  const names = new Set(known.flatMap((ref) => [ref.pipeline, triggerName(ref)]))
  const hint = didYouMean(name, [...names]) ?? '`audience schedule list` shows all schedules'
  return usageError('unknown-schedule', noneHas('schedule', name, where), hint)
}

function noneHas(kind: keyof typeof WORDS, name: string, { pipelines }: Where): string {
  return `no document in ${pipelines} has a ${WORDS[kind]} ${name}`
}
