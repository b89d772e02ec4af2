import { resolve } from 'node:path'
import { grouped } from '../../core/format/figures.ts'
import type { JsonObject } from '../../core/json.ts'
import { type Occurrence, type TriggerRef, triggerName, triggerRefOf } from '../../core/occurrence.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { lookAt } from './look-at.ts'
import type { OwnFolders } from './own-folders.ts'
import type { Content, FileFacts } from './read-content.ts'
import { keepKey, type TakenFile, takenAt } from './taken-files.ts'
import type { Watch, WatchDeps } from './watch.ts'

export interface Accounting {
  readonly watch: Watch
  readonly file: TakenFile
  readonly ownFolders: OwnFolders
  readonly content: Extract<Content, { state: 'fit' | 'unfit' }>
  /** Files away the files whose runs have ended; after that the occurrence store has their outcomes. */
  readonly fileEnded: () => Promise<void>
  /** The file has a new path. */
  readonly moved: (file: TakenFile) => void
}

/**
 * Makes sure that the occurrence store has an occurrence for a file: its run, the run of the same content, or the reason why
 * there is none. If it is repeated after a crash, it finds what it did before. Files of the same content come here one
 * after the other.
 */
export async function accountForFile(
  deps: Pick<WatchDeps, 'occurrenceStore' | 'fire' | 'disk'>,
  accounting: Accounting,
): Promise<Occurrence | undefined> {
  const { occurrenceStore, fire, disk } = deps
  const { watch, file, content, ownFolders } = accounting
  const ref = triggerRefOf(watch)
  const occurrence = {
    key: file.ticket,
    at: takenAt(file),
    detail: detailOf(watch, file, content.about),
    open: true,
  } as const
  if (content.state === 'unfit') {
    await occurrenceStore.note(ref, { occurrences: [{ ...occurrence, state: 'failed', reason: content.reason }] })
    return occurrenceStore.find({ ...ref, key: file.ticket })
  }
  const asked = { sha256: content.about.sha256, repeat: watch.trigger.repeat }
  let identity = await identify(occurrenceStore, ref, asked)
  if (identity.state === 'same' && identity.as.open) {
    await accounting.fileEnded()
    identity = await identify(occurrenceStore, ref, asked)
  }
  if (identity.state === 'same') {
    const { runId, detail: its } = identity.as
    const detail = { ...occurrence.detail, ...withoutUndefined({ sameAs: its?.name }) }
    const same = { ...occurrence, detail, state: 'skipped', reason: 'duplicate', runId } as const
    await occurrenceStore.note(ref, { occurrences: [same] })
    return occurrenceStore.find({ ...ref, key: file.ticket })
  }
  const kept = await keepKey({ disk, ownFolders }, file, identity.key)
  accounting.moved(kept)
  const detail = detailOf(watch, kept, content.about)
  const { pipeline, trigger } = watch
  const values = valuesOf(kept, content.about)
  const fired = await fire({ ...occurrence, pipeline, trigger, key: identity.key, detail, values })
  // The file has the same content as that run's file; the next try finds this.
  if (fired.detail?.ticket !== file.ticket) throw new Error(`the run ${fired.runId} is of another file of this content`)
  return fired
}

/** What the occurrence store stores: enough to file the file away after the document is removed. */
function detailOf(
  { trigger, folder }: Watch,
  { path, name, ticket }: TakenFile,
  { size, mtimeMs, sha256 }: FileFacts,
): JsonObject {
  return {
    ...withoutUndefined({ file: path, name, ticket, size, modifiedAt: timeOf(mtimeMs), sha256 }),
    done: resolve(folder, trigger.done),
    failed: resolve(folder, trigger.failed),
  }
}

/** The value of `trigger` in expressions. */
function valuesOf({ path, name }: TakenFile, { size, mtimeMs, sha256 }: FileFacts): JsonObject {
  return { file: path, name, size, modifiedAt: timeOf(mtimeMs), sha256 }
}

/** As the occurrence store has it, to a millisecond. */
function timeOf(mtimeMs: number): string {
  return new Date(mtimeMs).toISOString()
}

/** `same`: another occurrence accounts for the content. */
type Identity = { readonly state: 'new'; readonly key: string } | { readonly state: 'same'; readonly as: Occurrence }

/**
 * Whether a content gets a run. Its runs have the keys `<sha256>`, `<sha256>#2` and so on. A new one is made if the
 * last one did not succeed, or if the document wants a run each time.
 */
export async function identify(
  occurrenceStore: Pick<OccurrenceStore, 'find'>,
  ref: TriggerRef,
  { sha256, repeat }: { readonly sha256: string; readonly repeat: boolean },
): Promise<Identity> {
  const find = (number: number) => occurrenceStore.find({ ...ref, key: keyOf(sha256, number) })
  const count = await lastOf(async (number) => (await find(number)) !== undefined)
  const last = count === 0 ? undefined : await find(count)
  if (!last || repeat || cameToNothing(last)) return { state: 'new', key: keyOf(sha256, count + 1) }
  return { state: 'same', as: last }
}

/** Its run ended without success, or there was no run. */
function cameToNothing({ state, open, detail }: Occurrence): boolean {
  if (state === 'ran') return !open && detail?.outcome !== 'succeeded'
  return state !== 'due'
}

function keyOf(sha256: string, number: number): string {
  return number === 1 ? sha256 : `${sha256}#${number}`
}

/**
 * The largest number that exists, given that all numbers below it exist. A content that is dropped every night has
 * thousands.
 */
async function lastOf(exists: (number: number) => Promise<boolean>): Promise<number> {
  let high = 1
  while (await exists(high)) high *= 2
  let low = high >> 1
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (await exists(middle)) low = middle
    else high = middle
  }
  return low
}

/**
 * A sentence if a taken file no longer has the content that was read, because its writer paused for longer than
 * `settle` and then wrote on. It becomes an occurrence of its own, so that people are notified, before the file moves:
 * if this process dies in between, the next one finds the occurrence.
 */
export async function changeAfterReading(
  { disk, occurrenceStore, log }: Pick<WatchDeps, 'disk' | 'occurrenceStore' | 'log'>,
  { pipeline, trigger, at, runId, detail = {} }: Occurrence,
  path: string,
): Promise<string | undefined> {
  const { name, size, modifiedAt, ticket } = detail
  const ref = { pipeline, trigger }
  const key = `changed ${ticket}`
  const now = await lookAt(disk, path)
  // It has been moved already: the finding before the move counts.
  if (!now) return (await occurrenceStore.find({ ...ref, key }))?.reason
  if (now.size === Number(size) && timeOf(now.mtimeMs) === modifiedAt) return undefined
  const reason = `it was written to after it had been read: it had ${grouped(Number(size))} bytes then, and has ${grouped(now.size)} now`
  const occurrence = {
    key,
    at,
    state: 'failed',
    reason,
    detail: { name, file: path, size: now.size, changed: true },
  } as const
  await occurrenceStore.note(ref, { occurrences: [occurrence] })
  log.warn(
    { ...ref, file: name, runId, reason },
    `${triggerName(ref)} has a file ${name} that changed after it was read`,
  )
  return reason
}
