import type { SteadyClock } from '../../core/clock.ts'
import type { Limit } from '../../core/one-at-a-time.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import type { RemoteSource } from '../../core/remote-source.ts'
import { sha256 } from '../../core/sha256.ts'
import type { RemoteTrigger } from '../../core/trigger.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import type { Content, FileFacts } from '../watch/content.ts'
import { copyPath } from './local-copy.ts'
import { readCopy } from './read-copy.ts'
import type { TakenFiles, TakenMember } from './take-files.ts'

/** A file that was read, or at least examined. */
export interface ReadMember extends TakenMember {
  readonly about: FileFacts
}

export interface ReadFiles {
  readonly members: readonly ReadMember[]
  /** The total for all of them. */
  readonly content: Extract<Content, { state: 'fit' | 'unfit' }>
}

interface Reading {
  readonly trigger: Pick<RemoteTrigger, 'precheck' | 'settleMs'>
  readonly copies: string
  readonly reading: Limit
  readonly clock: SteadyClock
  readonly signal: AbortSignal
}

/**
 * Copies the files of a ledger row to this machine, one after the other. Undefined if a file that was not taken changed
 * or disappeared: the next check finds what is there then. If a set lacks a file, none of its files is read.
 */
export async function readFiles(
  source: RemoteSource,
  row: LedgerFile,
  { members, lack }: TakenFiles,
  { copies, ...how }: Reading,
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
    const content = await readCopy(source, place, { ...how, path, isManifest: isManifest(row, looked) })
    const { name } = splitRemotePath(member.path)
    if (content.state === 'changed' || content.state === 'gone') {
      if (!row.set || !members.some((each) => each.place.isTaken)) return undefined
      reason = `${name} disappeared while it was being copied`
    } else if (content.state === 'unfit') reason = row.set ? `${name}: ${content.reason}` : content.reason
    read.push('about' in content ? { ...looked, about: content.about } : looked)
  }
  return { members: read, content: contentOf(row, read, reason) }
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
