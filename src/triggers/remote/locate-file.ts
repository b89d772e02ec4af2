import { takenPath } from '../../core/remote-path.ts'
import { hintOf, type RemoteFile, type RemoteSource } from '../../core/remote-source.ts'
import type { LedgerMember } from '../../state/remote-ledger.ts'
import type { RemoteDeps } from './remote-watch.ts'

/** Where a file is: taken, or still where it was found. */
export interface Place {
  readonly file: RemoteFile
  readonly isTaken: boolean
}

/** Undefined if no file there looks like this one. */
export async function locateFile(
  source: RemoteSource,
  { path, hint }: LedgerMember,
  { ticket, signal }: { readonly ticket: string; readonly signal: AbortSignal },
): Promise<Place | undefined> {
  const taken = source.can.take ? await source.look(takenPath(path, ticket), { signal }) : undefined
  if (taken) return { file: taken, isTaken: true }
  const file = await source.look(path, { signal })
  return file && hintOf(file) === hint ? { file, isTaken: false } : undefined
}

/** The source of a file that is in progress. */
export async function sourceOf({ openSource }: Pick<RemoteDeps, 'openSource'>, name: string): Promise<RemoteSource> {
  const source = await openSource(name)
  if (!source) throw new Error(`audience.yaml no longer has a source ${name}`)
  return source
}
