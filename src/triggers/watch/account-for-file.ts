import { resolve } from 'node:path'
import type { Firing } from '../../core/fire.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import type { RemoteTrigger, WatchTrigger } from '../../core/trigger.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { Content, ContentFacts } from './content.ts'
import type { OwnFolders } from './own-folders.ts'
import { keepKey, type TakenFile, takenAt } from './taken-files.ts'
import type { Watch, WatchDeps } from './watch.ts'

export interface Accounting {
  readonly watch: Watch
  readonly file: TakenFile
  readonly ownFolders: OwnFolders
  readonly content: Extract<Content, { state: 'fit' | 'unfit' }>
  /** Files away the files whose runs have ended. After that, the occurrence store has their outcomes. */
  readonly fileEnded: () => Promise<void>
  /** Called when the file has a new path. */
  readonly moved: (file: TakenFile) => void
}

/**
 * Makes sure that the occurrence store has an occurrence for a file: see `accountFor`. The key of the occurrence
 * becomes part of the file's path.
 */
export function accountForFile(
  deps: Pick<WatchDeps, 'occurrenceStore' | 'fire' | 'disk'>,
  { watch, file, content, ownFolders, fileEnded, moved }: Accounting,
): Promise<Occurrence | undefined> {
  const { pipeline, trigger } = watch
  return accountFor(deps, {
    pipeline,
    trigger,
    ticket: file.ticket,
    at: takenAt(file),
    content,
    fileEnded,
    detail: detailOf(watch, file, content.about),
    async keep(key) {
      const kept = await keepKey({ disk: deps.disk, ownFolders }, file, key)
      moved(kept)
      return { detail: detailOf(watch, kept, content.about), values: valuesOf(kept, content.about) }
    },
  })
}

/** A file whose content has been read, from a folder or from a source. */
interface Arrival extends Pick<Accounting, 'content' | 'fileEnded'>, Pick<Firing, 'pipeline'> {
  readonly trigger: WatchTrigger | RemoteTrigger
  readonly ticket: string
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
  /** What the occurrence store keeps about it if it gets no run. */
  readonly detail: JsonObject
  /**
   * Records the key of its occurrence, and the content, where a restart finds them. Returns the facts to keep with a
   * run.
   */
  readonly keep: (key: string, sha256: string) => Promise<Required<Pick<Firing, 'detail' | 'values'>>>
}

/**
 * Makes sure that the occurrence store has an occurrence for a file: with its run, with the run of the same content, or
 * with the reason why it has no run. A repeated call after a crash finds what the first call did. Files with the same
 * content must be handled one after the other.
 */
export async function accountFor(
  { occurrenceStore, fire }: Pick<WatchDeps, 'occurrenceStore' | 'fire'>,
  { pipeline, trigger, ticket, at, content, fileEnded, detail, keep }: Arrival,
): Promise<Occurrence | undefined> {
  const ref = { pipeline: pipeline.name, trigger: trigger.id }
  const occurrence = { key: ticket, at, detail, open: true } as const
  if (content.state === 'unfit') {
    await occurrenceStore.note(ref, { occurrences: [{ ...occurrence, state: 'failed', reason: content.reason }] })
    return occurrenceStore.find({ ...ref, key: ticket })
  }
  const asked = { sha256: content.about.sha256, repeat: trigger.repeat }
  let identity = await identify(occurrenceStore, ref, asked)
  // An earlier try, or another process, made its run.
  if (identity.last?.detail?.ticket === ticket) return identity.last
  if (identity.state === 'same' && identity.last.open) {
    await fileEnded()
    identity = await identify(occurrenceStore, ref, asked)
  }
  if (identity.state === 'same') {
    const { runId, detail: its } = identity.last
    const known = { ...detail, ...withoutUndefined({ sameAs: its?.name }) }
    const same = { ...occurrence, detail: known, state: 'skipped', reason: 'duplicate', runId } as const
    await occurrenceStore.note(ref, { occurrences: [same] })
    return occurrenceStore.find({ ...ref, key: ticket })
  }
  const { key } = identity
  const fired = await fire({ ...occurrence, pipeline, trigger, key, ...(await keep(key, asked.sha256)) })
  // The file has the same content as that run's file; the next try finds this.
  if (fired.detail?.ticket !== ticket)
    throw new Error(`the run ${fired.runId} belongs to another file with this content`)
  return fired
}

/** What the occurrence store keeps: enough to file the file away after the document is removed. */
function detailOf(
  { trigger, folder }: Watch,
  { path, name, ticket }: TakenFile,
  { size, mtimeMs, sha256 }: ContentFacts,
): JsonObject {
  return {
    ...withoutUndefined({ file: path, name, ticket, size, modifiedAt: isoTime(mtimeMs), sha256 }),
    done: resolve(folder, trigger.done),
    failed: resolve(folder, trigger.failed),
  }
}

/** The value of `trigger` in expressions. */
function valuesOf({ path, name }: TakenFile, { size, mtimeMs, sha256 }: ContentFacts): JsonObject {
  return { file: path, name, size, modifiedAt: isoTime(mtimeMs), sha256 }
}

/** `last` is the last occurrence of the content. `same` means that this occurrence also accounts for the file. */
type Identity =
  | { readonly state: 'new'; readonly key: string; readonly last: Occurrence | undefined }
  | { readonly state: 'same'; readonly last: Occurrence }

/**
 * Whether the content of a file gets a run. The runs of one content have the keys `<sha256>`, `<sha256>#2` and so on. A
 * new run is made if the last one did not succeed, or if the document wants a run each time.
 */
export async function identify(
  occurrenceStore: Pick<OccurrenceStore, 'find'>,
  ref: TriggerRef,
  { sha256, repeat }: { sha256: string; repeat: boolean },
): Promise<Identity> {
  const find = (number: number) => occurrenceStore.find({ ...ref, key: keyOf(sha256, number) })
  const count = await lastOf(async (number) => (await find(number)) !== undefined)
  const last = count === 0 ? undefined : await find(count)
  if (!last || repeat || cameToNothing(last)) return { state: 'new', key: keyOf(sha256, count + 1), last }
  return { state: 'same', last }
}

/** Whether the run of an occurrence ended without success, or there was no run. */
function cameToNothing({ state, open, detail }: Occurrence): boolean {
  if (state === 'ran') return !open && detail?.outcome !== 'succeeded'
  return state !== 'due'
}

function keyOf(sha256: string, number: number): string {
  return number === 1 ? sha256 : `${sha256}#${number}`
}

/**
 * The largest number that exists; all numbers below it must exist, too. Content that is dropped every night has
 * thousands of numbers.
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
