import { ON_TIME_MS } from '../core/duration.ts'
import { count } from '../core/format/figures.ts'
import { isoTime } from '../core/iso-time.ts'
import { matchesTrigger, type TriggerRef, triggerName } from '../core/occurrence.ts'
import { shellWord } from '../core/shell-word.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import type { RemovedSchedule } from './status-report.ts'

/**
 * The schedules that have due slots, for example after a backfill, but are in no valid document for any profile. The
 * document, or the name of the schedule or of its pipeline, was changed. `asked` selects them by name. Sorted by name.
 */
export async function removedSchedules(
  documents: Iterable<LiveDocument>,
  occurrences: Pick<OccurrenceStore, 'triggersDue' | 'list'>,
  asked: Partial<TriggerRef> = {},
): Promise<readonly RemovedSchedule[]> {
  const there = new Set<string>()
  for (const { pipeline } of documents)
    for (const { kind, id } of [...pipeline.triggers, ...(pipeline.otherTriggers ?? [])])
      if (kind === 'schedule') there.add(triggerName({ pipeline: pipeline.name, trigger: id }))
  const removed: RemovedSchedule[] = []
  for (const ref of await occurrences.triggersDue()) {
    if (there.has(triggerName(ref)) || !matchesTrigger(asked, ref)) continue
    const due = await occurrences.list({ ...ref, kind: 'slot', state: ['due'], limit: Number.MAX_SAFE_INTEGER })
    const [last, first] = [due.at(0)?.at, due.at(-1)?.at]
    if (last !== undefined && first !== undefined) removed.push(removedSchedule(ref, { due: due.length, first, last }))
  }
  return removed.toSorted((a, b) => (triggerName(a) < triggerName(b) ? -1 : 1))
}

function removedSchedule(
  { pipeline, trigger }: TriggerRef,
  { due, first, last }: { due: number; first: number; last: number },
): RemovedSchedule {
  const name = shellWord(triggerName({ pipeline, trigger }))
  const rest = `nothing runs ${due === 1 ? 'it' : 'them'} until a document has the schedule again`
  const period = `--from ${isoTime(first)} --to ${isoTime(last + ON_TIME_MS)}`
  return {
    pipeline,
    trigger,
    due,
    firstAt: isoTime(first),
    lastAt: isoTime(last),
    message: `${count(due, 'slot is', 'slots are')} due, but no valid document has this schedule any more; ${rest}`,
    commands: [`audience schedule backfill ${name} ${period} --withdraw`],
  }
}
