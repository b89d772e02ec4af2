import { isoTime } from '../../core/iso-time.ts'
import type { ValueOf } from '../../core/json-schema.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { LiveDocument } from '../../daemon/documents/live-documents.ts'
import { fileCheck } from '../../policy/enforce.ts'
import type { ListedOccurrence } from '../../state/occurrence-store.ts'
import { comingSlots } from '../../triggers/schedule/coming-slots.ts'
import { type LiveSchedule, openSchedule } from '../../triggers/schedule/live-schedule.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import type { comingSlot, slotItem } from '../api/trigger-schemas.ts'
import { ApiFailure } from './api-failure.ts'
import type { ConsoleDeps } from './console-deps.ts'

/** Finds the document of a pipeline that audience start runs. Throws `unknown-pipeline`. */
export function findDocument({ documents }: Pick<ConsoleDeps, 'documents'>, name: string): LiveDocument {
  const found = documents().get(name)
  if (found) return found
  throw new ApiFailure(
    404,
    'unknown-pipeline',
    `audience start has no pipeline ${name}`,
    'pipelines whose documents have errors are left out: the page System and `audience validate` name them',
  )
}

/** The schedule with its slots. Its excluded days are read now, and again when they change. */
export function scheduleOf({ settings }: Pick<ConsoleDeps, 'settings'>, live: LiveSchedule): Schedule {
  return openSchedule(live, { checkFile: fileCheck(settings.policy) })
}

type ComingSlot = ValueOf<typeof comingSlot>

/**
 * The upcoming slots of a schedule before `to`. There are none while it is paused, because slots that come during a
 * pause are skipped. There are none if its excluded days cannot be read, which `problems` reports.
 */
export function comingOf(
  schedule: Schedule,
  { pauses, ...options }: Parameters<typeof comingSlots>[1] & { pauses: Pauses },
): ComingSlot[] {
  if (pauses.has(triggerName(schedule.ref))) return []
  const { slots } = comingSlots(schedule, options)
  return slots.map(({ at }) => ({
    ...schedule.ref,
    at: isoTime(at),
    startsAt: isoTime(schedule.startOf(at)),
    ...localTimeOf(schedule, at),
  }))
}

/** A slot as it was recorded. If its schedule still exists, the time is also given in the time zone of the schedule. */
export function slotOf(
  { pipeline, trigger, key, at, state, outcome, reason, runId }: ListedOccurrence,
  schedule: Schedule | undefined,
): ValueOf<typeof slotItem> {
  return {
    pipeline,
    trigger,
    key,
    at: isoTime(at),
    state,
    outcome,
    ...(schedule && localTimeOf(schedule, at)),
    reason,
    runId,
  }
}

function localTimeOf(schedule: Schedule, at: number) {
  const { date, time, offset } = schedule.localTime(at)
  return { local: `${date} ${time} ${offset}`, timezone: schedule.trigger.timezone }
}

/** When each paused trigger was paused, by the name of the trigger. */
export type Pauses = ReadonlyMap<string, string>

export async function pausesOf({ state }: Pick<ConsoleDeps, 'state'>): Promise<Pauses> {
  const memories = await state.occurrences.memories()
  return new Map(
    memories.flatMap((memory) =>
      memory.pausedAt === undefined ? [] : [[triggerName(memory), isoTime(memory.pausedAt)] as const],
    ),
  )
}
