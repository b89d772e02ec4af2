import { basename, dirname, join } from 'node:path'
import { type Settings, uploadsFolder } from '../config/settings.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { type Occurrence, type TriggerRef, triggerName } from '../core/occurrence.ts'
import type { RemoteSource } from '../core/remote-source.ts'
import type { Actor } from '../core/run.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import { noteGiverOf } from '../daemon/file-givers.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { State } from '../state/state.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import { failedFileOf } from '../triggers/watch/failed-file.ts'
import { REASON } from '../triggers/watch/find-files.ts'
import { removeIfFile } from '../triggers/watch/look-at.ts'
import { trustedWay } from '../triggers/watch/trusted-way.ts'
import { pathOf } from '../triggers/watch/watch.ts'
import { dropInto } from './drop-into.ts'
import { dropRemoteAgain } from './drop-remote-again.ts'
import { findTrigger } from './find-trigger.ts'

interface Dropped {
  readonly ref: TriggerRef
  /** The key of the file. */
  readonly key: string
  /** The people who caused the new run. */
  readonly givers: readonly string[]
}

interface DropDeps {
  state: Pick<State, 'occurrences' | 'remote' | 'audit'>
  settings: Settings
  /** The current documents, by name. */
  documents(): ReadonlyMap<string, LiveDocument> | Promise<ReadonlyMap<string, LiveDocument>>
  /** Opens a source on another machine by its name in audience.yaml; undefined if there is none. */
  openSource: (name: string) => Promise<RemoteSource | undefined>
  /** Ends the work at a source. */
  signal: AbortSignal
}

/**
 * Moves a file from `failed` back into its watched folder, on this machine or at its source. It is taken like any other
 * file: content whose run failed gets another run. Returns the path, or SOURCE:PATH. Throws `unknown-trigger`,
 * `unknown-file`, `unknown-source`, `file-open`, `file-has-run`, `file-gone`, `file-exists`, and what the source throws.
 */
export async function dropAgain({ ref, key, givers }: Dropped, actor: Actor, deps: DropDeps): Promise<string> {
  const occurrence = await deps.state.occurrences.find({ ...ref, key })
  const name = occurrence?.detail?.source
  if (!occurrence || typeof name !== 'string') return dropLocalAgain({ ref, key, givers, occurrence }, actor, deps)
  const source = await deps.openSource(name)
  if (!source) throw sourceGone(name)
  return `${name}:${await dropRemoteAgain({ occurrence, source, givers, signal: deps.signal }, actor, deps)}`
}

function sourceGone(name: string): AudienceError {
  const message = `audience.yaml no longer has a source ${name} on another machine`
  return usageError('unknown-source', message, '`audience sources list` shows its sources')
}

async function dropLocalAgain(
  { ref, key, givers, occurrence }: Dropped & { occurrence: Occurrence | undefined },
  actor: Actor,
  { state, settings, documents }: DropDeps,
): Promise<string> {
  const watch = findTrigger((await documents()).values(), 'watch', ref, settings)
  const { name, ticket } = occurrence?.detail ?? {}
  if (!occurrence || typeof name !== 'string')
    throw usageError('unknown-file', `${triggerName(ref)} has no file ${key}`)
  const { open, runId, detail } = occurrence
  if (open)
    throw usageError('file-open', `the file ${name} is not yet in done or failed`, 'wait until its run has ended')
  const found = await failedFileOf(occurrence)
  if (found === undefined && runId !== undefined && detail?.outcome === 'succeeded')
    throw usageError(
      'file-has-run',
      `the file ${name} had a run, which succeeded`,
      `run it again: audience run with the inputs of ${runId}`,
    )
  if (found === undefined)
    throw usageError(
      'file-gone',
      `the file ${name} is not in the folder for failed files`,
      `put it into ${pathOf(watch)} again`,
    )
  const trusted = (path: string) => trustedWay(localDisk, path, watch.folder)
  const source = join(await trusted(dirname(found)), basename(found))
  const folder = await trusted(pathOf(watch))
  for (const path of [source, folder]) fileCheck(settings.policy)(path)
  for (const giver of givers) await noteGiverOf(uploadsFolder(settings), source, giver)
  const file = await dropInto(localDisk, { source, folder, name, ticket: String(ticket) }, watch.trigger.pattern)
  await removeIfFile(localDisk, source + REASON)
  // `movedTo` is cleared, because another file with this name may appear there.
  await state.occurrences.close(occurrence, withoutUndefined({ ...detail, movedTo: undefined }))
  await state.audit.add({ ...actor, act: 'file.retry', subject: triggerName(ref), detail: name, outcome: 'done' })
  return file
}
