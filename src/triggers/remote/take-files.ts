import { remoteCodeOf } from '../../core/remote-error.ts'
import { splitRemotePath, takenPath } from '../../core/remote-path.ts'
import { hintOf, type RemoteFile, type RemoteSource } from '../../core/remote-source.ts'
import { type LedgerFile, type LedgerMember, membersOf } from '../../state/remote-ledger.ts'
import type { Around, RemoteDeps } from './remote-watch.ts'

/** Where a file is: taken, or still where it was found. */
export interface FilePlace {
  readonly file: RemoteFile
  readonly isTaken: boolean
}

/** Finds a file of the ledger. Undefined if no file at its source looks like it. */
export async function locateFile(
  source: RemoteSource,
  { path, hint }: LedgerMember,
  { ticket, signal }: { ticket: string; signal: AbortSignal },
): Promise<FilePlace | undefined> {
  async function lookTaken(): Promise<FilePlace | undefined> {
    const file = source.can.take ? await source.look(takenPath(path, ticket), { signal }) : undefined
    return file && { file, isTaken: true }
  }

  const taken = await lookTaken()
  if (taken) return taken
  const file = await source.look(path, { signal })
  if (file && hintOf(file) === hint) return { file, isTaken: false }
  // Another process may have taken the file between the two checks.
  return lookTaken()
}

/** The source of a file that is in progress. */
export async function sourceOf({ openSource }: Pick<RemoteDeps, 'openSource'>, name: string): Promise<RemoteSource> {
  const source = await openSource(name)
  if (!source) throw new Error(`audience.yaml no longer has a source ${name}`)
  return source
}

/** A file, and the location where it will be read. */
export interface TakenMember {
  readonly member: LedgerMember
  readonly place: FilePlace
}

/** All files of a ledger row; the files of `trigger.files` come first. */
export interface TakenFiles {
  readonly members: readonly TakenMember[]
  /** What a set lacks, as part of a sentence. */
  readonly lack?: string | undefined
}

interface Taking {
  /**
   * Whether the files leave their folder when their run has ended. If so, they leave it now, if the source supports
   * that.
   */
  readonly isLeaving: boolean
  readonly around: Pick<Around, 'stopping' | 'onReadOnly'>
}

/**
 * Takes the files of a ledger row: all or none. Undefined if none was taken and one is gone, looks different or was
 * taken by somebody else: the next check finds what is there. Once one file of a set is taken, the others are taken as
 * they are now, and `lack` says which one is gone.
 */
export async function takeFiles(
  source: RemoteSource,
  row: LedgerFile,
  { isLeaving, around }: Taking,
): Promise<TakenFiles | undefined> {
  const { ticket } = row
  const signal = around.stopping
  const found: (FilePlace | undefined)[] = []
  for (const member of membersOf(row)) found.push(await locateFile(source, member, { ticket, signal }))
  let isBegun = found.some((place) => place?.isTaken)
  if (!isBegun && found.includes(undefined)) return undefined
  const members: TakenMember[] = []
  let lack: string | undefined
  for (const [index, member] of membersOf(row).entries()) {
    const place = await takeOne(source, found[index] ?? (await placeNow(source, member, signal)), {
      ticket,
      isLeaving,
      around,
    })
    if (place) members.push({ member, place })
    else if (!isBegun) return undefined
    else lack ??= `${splitRemotePath(member.path).name} is gone: it disappeared while the set was being taken`
    isBegun ||= place?.isTaken === true
  }
  return { members, lack: row.set?.lack ?? lack }
}

/** The location of a file that has changed since it was listed; undefined if it is gone. */
async function placeNow(
  source: RemoteSource,
  { path }: LedgerMember,
  signal: AbortSignal,
): Promise<FilePlace | undefined> {
  const file = await source.look(path, { signal })
  return file && { file, isTaken: false }
}

/** Undefined if somebody else has taken it. */
async function takeOne(
  source: RemoteSource,
  place: FilePlace | undefined,
  { ticket, isLeaving, around }: Taking & { ticket: string },
): Promise<FilePlace | undefined> {
  if (!place || place.isTaken || !source.can.take || !isLeaving) return place
  try {
    const file = await source.take(place.file, { ticket, signal: around.stopping })
    return file && { file, isTaken: true }
  } catch (error) {
    if (remoteCodeOf(error) !== 'source-read-only') throw error
    around.onReadOnly(error)
    return place
  }
}
