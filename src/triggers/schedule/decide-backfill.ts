import type { JsonObject } from '../../core/json.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { CATCH_UP, type Slot } from './classify-slots.ts'
import { type Schedule, slotKey } from './schedule.ts'

/** What a backfill does with the slots of a period. */
export interface Backfill {
  /** Slots to note. */
  readonly due: readonly Slot[]
  /** Slots that will run anyway. */
  readonly waiting: number
  /** Slots that already have a run and get no further run. */
  readonly ran: number
  /** Slots on excluded days: they never run. */
  readonly excluded: number
  /** Whether there are more slots than `limit`. */
  readonly tooMany: boolean
}

/**
 * Decides which slots in `[from, to)` run (again), at most `limit` of them. A slot that is already accounted for keeps
 * its record; its new occurrence has the same key with `#2`, the next one `#3`.
 */
export async function decideBackfill(
  schedule: Schedule,
  occurrenceStore: Pick<OccurrenceStore, 'find'>,
  range: { from: number; to: number; onlyMissing: boolean; limit: number },
): Promise<Backfill> {
  const due: Slot[] = []
  let waiting = 0
  let ran = 0
  let excluded = 0
  for (const slot of schedule.slotsAfter(range.from - 1)) {
    if (slot >= range.to) break
    if (due.length === range.limit) return { due, waiting, ran, excluded, tooMany: true }
    if (schedule.isExcluded(slot)) {
      excluded++
      continue
    }
    const { key, states } = await occurrencesOf(slot, schedule, occurrenceStore)
    if (states.has('due')) waiting++
    else if (range.onlyMissing && states.has('ran')) ran++
    else due.push({ key, at: slot, state: 'due', detail: CATCH_UP })
  }
  return { due, waiting, ran, excluded, tooMany: false }
}

/** Returns the slots with the person who made them due. That person counts as the cause of their runs. */
export function askedBy(slots: readonly Slot[], by: string | undefined): readonly Slot[] {
  return by === undefined ? slots : slots.map((slot) => ({ ...slot, detail: { ...slot.detail, askedBy: by } }))
}

/** The people who made a slot due, from the detail of its occurrence; empty if its time simply came. */
export function askersOf(detail: JsonObject): readonly string[] {
  return typeof detail.askedBy === 'string' ? [detail.askedBy] : []
}

/** The states of a slot's occurrences, and the key of its next one. */
async function occurrencesOf(slot: number, { ref }: Schedule, occurrenceStore: Pick<OccurrenceStore, 'find'>) {
  const states = new Set<string>()
  let key = slotKey(slot)
  for (let count = 2; ; count++) {
    const known = await occurrenceStore.find({ ...ref, key })
    if (!known) return { key, states }
    states.add(known.state)
    key = `${slotKey(slot)}#${count}`
  }
}
