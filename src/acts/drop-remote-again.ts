import { type Settings, uploadsFolder } from '../config/settings.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { type Occurrence, triggerName } from '../core/occurrence.ts'
import { splitRemotePath } from '../core/remote-path.ts'
import type { RemoteFile, RemoteSource } from '../core/remote-source.ts'
import type { Actor } from '../core/run.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { noteGiver } from '../daemon/file-givers.ts'
import type { State } from '../state/state.ts'
import { recordedMembers } from '../triggers/remote/file-facts.ts'

interface Dropped {
  readonly occurrence: Occurrence
  readonly source: RemoteSource
  /** The people who caused the new run. */
  readonly givers: readonly string[]
  readonly signal: AbortSignal
}

/**
 * Lets a file or a set from a source have another run. Moved files go back into their folder at the source, and files
 * that stayed in place count as new. The next checks take them like any other file: content whose run failed gets
 * another run. Returns the path. Throws `file-open`, `file-has-run`, `file-exists`, `file-gone`, and what the source
 * throws.
 */
export async function dropRemoteAgain(
  { occurrence, source, givers, signal }: Dropped,
  actor: Actor,
  { state, settings }: { state: Pick<State, 'occurrences' | 'remote' | 'audit'>; settings: Pick<Settings, 'shared'> },
): Promise<string> {
  const { open, runId, detail = {} } = occurrence
  const [name, path, ticket] = [detail.name, detail.path, detail.ticket].map(String) as [string, string, string]
  if (open) throw usageError('file-open', `${name} is not filed away yet`, 'wait until its run has ended')
  if (detail.outcome === 'succeeded')
    throw usageError(
      'file-has-run',
      `${name} had a run, which succeeded`,
      `run it again: audience run with the inputs of ${runId}`,
    )
  const away = await filesAway(source, detail, signal)
  const isKept = (await state.remote.files(occurrence)).some((file) => file.ticket === ticket)
  if (away.length === 0 && !isKept) throw gone(path)
  for (const giver of givers)
    if (typeof detail.sha256 === 'string') noteGiver(uploadsFolder(settings), detail.sha256, giver)
  for (const { file, folder, name: its } of away)
    if ((await source.move(file, { folder, name: its, ticket, signal })) === undefined) throw gone(path)
  await state.remote.remove([ticket])
  // `movedTo` is cleared, because other files with these names may appear there.
  await state.occurrences.close(occurrence, withoutUndefined({ ...detail, movedTo: undefined }))
  const subject = triggerName(occurrence)
  await state.audit.add({ ...actor, act: 'file.retry', subject, detail: name, outcome: 'done' })
  return path
}

interface Away {
  readonly file: RemoteFile
  /** The folder where it was found. */
  readonly folder: string
  readonly name: string
}

/**
 * The moved files that are still in their new locations, if nothing is in their old ones. A manifest comes last. Throws
 * `file-exists` or `file-gone`.
 */
async function filesAway(source: RemoteSource, detail: JsonObject, signal: AbortSignal): Promise<readonly Away[]> {
  const moved = [detail.movedTo].flat().map(String)
  const away: Away[] = []
  for (const { path, name } of recordedMembers(detail)) {
    const names = [name, `${detail.ticket}-${name}`]
    const to = moved.find((each) => names.includes(splitRemotePath(each).name))
    if (to === undefined) continue
    const [file, back] = [await source.look(to, { signal }), await source.look(path, { signal })]
    if (file && back) throw usageError('file-exists', `the source already has a file ${path}`, 'wait until it is taken')
    // An interrupted command may already have moved it back.
    if (!file && !back) throw gone(path)
    if (file) away.push({ file, folder: splitRemotePath(path).folder, name })
  }
  return away
}

function gone(path: string): AudienceError {
  return usageError('file-gone', `${path} is no longer in its folder`, 'put the file at the source again')
}
