import { type SteadyClock, within } from '../../core/clock.ts'
import { HOUR_MS } from '../../core/duration.ts'
import { count, grouped } from '../../core/format/figures.ts'
import type { Limit } from '../../core/one-at-a-time.ts'
import { remoteCodeOf } from '../../core/remote-error.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import { hintOf, MAX_REMOTE_BYTES, type RemoteSource } from '../../core/remote-source.ts'
import { sha256 } from '../../core/sha256.ts'
import type { RemoteTrigger } from '../../core/trigger.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import type { Content, ContentFacts } from '../watch/content.ts'
import { copyPath, makeCopy } from './local-copy.ts'
import type { FilePlace, TakenFiles, TakenMember } from './take-files.ts'

/** A file that was read, or at least examined. */
export interface ReadMember extends TakenMember {
  readonly about: ContentFacts
}

export interface ReadFiles {
  readonly members: readonly ReadMember[]
  /** The content of all of them together. */
  readonly content: Extract<Content, { state: 'fit' | 'unfit' }>
}

/** The longest time that one file may take. */
const DOWNLOAD_MS = 6 * HOUR_MS

interface Reading {
  readonly trigger: Pick<RemoteTrigger, 'precheck' | 'settleMs'>
  readonly reading: Limit
  readonly clock: SteadyClock
  readonly signal: AbortSignal
}

/**
 * Copies the files of a ledger row to this machine, one after the other. Undefined if a file changed or disappeared
 * before it was taken. The next check finds what is there then. If a set lacks a file, none of its files is read.
 */
export async function readFiles(
  source: RemoteSource,
  row: LedgerFile,
  { members, lack }: TakenFiles,
  { copies, ...how }: Reading & { copies: string },
): Promise<ReadFiles | undefined> {
  const read: ReadMember[] = []
  let reason = lack
  for (const { member, place } of members) {
    const { size, mtimeMs } = place.file
    const looked = { member, place, about: { size, mtimeMs } }
    if (reason !== undefined) {
      read.push(looked)
      continue
    }
    const path = copyPath(copies, row.ticket, member.path)
    const content = await readCopy(source, place, { path, isManifest: isManifest(row, looked) }, how)
    const { name } = splitRemotePath(member.path)
    if (content.state === 'changed' || content.state === 'gone') {
      if (!row.set || !members.some((each) => each.place.isTaken)) return undefined
      reason = `${name} disappeared while it was being copied`
    } else if (content.state === 'unfit') reason = row.set ? `${name}: ${content.reason}` : content.reason
    read.push('about' in content ? { ...looked, about: content.about } : looked)
  }
  return { members: read, content: contentOf(row, read, reason) }
}

/**
 * Copies a file to this machine. Returns `changed` only for a file that was not taken: a taken file is read until its
 * content stays the same.
 */
async function readCopy(
  source: RemoteSource,
  { file, isTaken }: FilePlace,
  /** `path` is where the copy goes. A manifest may be empty, and only its maximum size is checked. */
  { path, isManifest }: { path: string; isManifest: boolean },
  { trigger: { precheck, settleMs }, reading, clock, signal }: Reading,
): Promise<Content> {
  const rule = isManifest ? { ...precheck, signal: undefined, minimumShare: 0 } : precheck
  let seen = file
  for (;;) {
    const { size, mtimeMs } = seen
    const about = { size, mtimeMs }
    const most = Math.min(rule.maxBytes, MAX_REMOTE_BYTES)
    if (size === 0 && !isManifest) return { state: 'unfit', about, reason: 'it is empty' }
    if (size > most)
      return { state: 'unfit', about, reason: `it has ${count(size, 'byte')}; at most ${grouped(most)} are allowed` }
    const given = seen
    const copied = await reading(() =>
      within(DOWNLOAD_MS, (limit) => makeCopy(source, given, { path, rule, signal: limit }), { clock, signal }),
    ).catch(unlessChanged)
    const now = await source.look(file.path, { signal })
    // A complete copy counts, even if somebody has removed the file since then.
    if (copied && (!now || hintOf(now) === hintOf(given))) {
      const known = { ...about, sha256: copied.sha256 }
      if (copied.problem === undefined) return { state: 'fit', about: known }
      return { state: 'unfit', about: known, reason: copied.problem }
    }
    if (!now) return { state: 'gone' }
    if (!isTaken) return { state: 'changed' }
    await clock.sleep(Math.max(settleMs, 1000), signal)
    seen = (await source.look(file.path, { signal })) ?? now
  }
}

function unlessChanged(error: unknown): undefined {
  if (remoteCodeOf(error) !== 'source-file-changed') throw error
}

/** The same contents in the same order are the same set, whatever its manifest says. */
function contentOf(row: LedgerFile, members: readonly ReadMember[], reason: string | undefined): ReadFiles['content'] {
  const size = members.reduce((sum, { about }) => sum + about.size, 0)
  const mtimeMs = Math.max(...members.map(({ about }) => about.mtimeMs))
  const contents = members.flatMap((member) => (isManifest(row, member) ? [] : (member.about.sha256 ?? [])))
  const whole = row.set ? sha256(`set ${contents.join(' ')}`) : contents[0]
  // A file that no run can use may still have been read.
  if (reason !== undefined)
    return { state: 'unfit', about: { size, mtimeMs, sha256: row.set ? undefined : whole }, reason }
  return { state: 'fit', about: { size, mtimeMs, sha256: whole ?? '' } }
}

function isManifest({ set }: LedgerFile, { member }: Pick<TakenMember, 'member'>): boolean {
  return member.path === set?.manifest?.path
}
