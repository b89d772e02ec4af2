import type { Logger } from 'pino'
import { count, grouped } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { type Occurrence, type OccurrenceRef, triggerName } from '../../core/occurrence.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { Disk } from './disk.ts'
import { lookAt } from './look-at.ts'

interface NoteDeps {
  occurrenceStore: Pick<OccurrenceStore, 'find' | 'note'>
  log: Pick<Logger, 'warn'>
}

/**
 * Returns a sentence if a taken file no longer has the content that was read, because its writer paused for longer than
 * `settle` and then continued. The change becomes a separate occurrence, so that people are notified. This happens
 * before the file moves: if this process dies in between, the next one finds the occurrence.
 */
export async function changeAfterReading(
  deps: NoteDeps & { disk: Disk },
  occurrence: Occurrence,
  path: string,
): Promise<string | undefined> {
  const now = await lookAt(deps.disk, path)
  if (now) return noteChange(deps, occurrence, now, path)
  // It has already been moved, so what was found before the move counts.
  return notedChange(deps, occurrence)
}

/** Does the same for a file whose current size and time are `now`. */
export async function noteChange(
  { occurrenceStore, log }: NoteDeps,
  occurrence: Occurrence,
  now: { size: number; mtimeMs: number },
  path: string,
): Promise<string | undefined> {
  const { at, runId, detail = {} } = occurrence
  const { name, size, modifiedAt } = detail
  if (now.size === Number(size) && isoTime(now.mtimeMs) === modifiedAt) return undefined
  const reason = `it was written to after it had been read: it had ${count(Number(size), 'byte')} then, and has ${grouped(now.size)} now`
  const { key, ...ref } = changeOf(occurrence)
  const changed = {
    key,
    at,
    state: 'failed',
    reason,
    detail: { name: name ?? null, file: path, size: now.size, changed: true },
  } as const
  await occurrenceStore.note(ref, { occurrences: [changed] })
  log.warn(
    { ...ref, file: name, runId, reason },
    `${triggerName(ref)} has a file ${name} that changed after it was read`,
  )
  return reason
}

/** The sentence that an earlier `noteChange` returned; undefined if the file had not changed. */
export async function notedChange({ occurrenceStore }: NoteDeps, occurrence: Occurrence): Promise<string | undefined> {
  return (await occurrenceStore.find(changeOf(occurrence)))?.reason
}

/** The occurrence that records that the file of another occurrence has changed. */
function changeOf({ pipeline, trigger, detail }: Occurrence): OccurrenceRef {
  return { pipeline, trigger, key: `changed ${detail?.ticket}` }
}
