import { isoTime } from '../../core/iso-time.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { RemoteErrorCode } from '../../core/remote-error.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { LedgerFile, LedgerMember } from '../../state/remote-ledger.ts'
import type { ContentFacts } from '../watch/content.ts'
import type { ReadMember } from './read-files.ts'
import type { RemoteWatch } from './remote-watch.ts'

const INCOMPLETE: RemoteErrorCode = 'source-set-incomplete'

/** What is known about a file, or a set, that has been read. */
export interface FileFacts {
  readonly row: LedgerFile
  /** Where its files were read; the files of `trigger.files` come first. */
  readonly members: readonly ReadMember[]
  readonly about: ContentFacts
  /** What a set lacks, as part of a sentence. */
  readonly lack: string | undefined
  /** The copies on this machine, in the order of `trigger.files`. */
  readonly copies: readonly string[]
}

/** What the occurrence store keeps: enough to file everything away after the document is removed. */
export function detailOf({ trigger }: RemoteWatch, { row, members, about, lack, copies }: FileFacts): JsonObject {
  const { source, path, ticket, hint, set } = row
  const { size, mtimeMs, sha256 } = about
  return {
    ...withoutUndefined({ source, path, hint, name: nameOf(row), ticket, size, modifiedAt: isoTime(mtimeMs), sha256 }),
    ...withoutUndefined(set ? { set: set.name, members: members.map(memberJson) } : { file: copies[0] }),
    ...withoutUndefined({ code: lack === undefined ? undefined : INCOMPLETE }),
    ...withoutUndefined({ version: set ? undefined : members[0]?.place.file.version }),
    done: { ...trigger.done },
    failed: { ...trigger.failed },
  }
}

/** The value of `trigger` in expressions. */
export function valuesOf({ row, about, copies }: FileFacts): JsonObject {
  const { source, path, set } = row
  const { size, mtimeMs, sha256 } = about
  const its = set
    ? { files: copies, names: set.files.map((member) => splitRemotePath(member.path).name), set: set.name }
    : { file: copies[0] }
  return withoutUndefined({ ...its, name: nameOf(row), source, path, size, modifiedAt: isoTime(mtimeMs), sha256 })
}

/** The name that people see: the name of a file, or the name of a set. */
export function nameOf({ path, set }: Pick<LedgerFile, 'path' | 'set'>): string {
  return set ? set.name : splitRemotePath(path).name
}

/** A file of an occurrence, with what was known about it when it was read. */
export interface RecordedMember extends LedgerMember {
  readonly name: string
  readonly size: number
  readonly modifiedAt: string
}

/** The files of an occurrence. */
export function recordedMembers(detail: JsonObject): readonly RecordedMember[] {
  const { members } = detail
  return Array.isArray(members) ? members.filter(isJsonObject).map(recordedMember) : [recordedMember(detail)]
}

function recordedMember({ path, hint, size, modifiedAt }: JsonObject): RecordedMember {
  const name = splitRemotePath(String(path)).name
  return { path: String(path), hint: String(hint), name, size: Number(size), modifiedAt: String(modifiedAt) }
}

function memberJson({ member: { path, hint }, about: { size, mtimeMs } }: ReadMember): Json {
  return { path, hint, size, modifiedAt: isoTime(mtimeMs) }
}
