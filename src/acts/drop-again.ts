import { basename, dirname, join } from 'node:path'
import { type Settings, uploadsFolder } from '../config/settings.ts'
import { usageError } from '../core/errors.ts'
import { triggerName, triggerRefOf } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { noteGiverOf } from '../daemon/file-givers.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { State } from '../state/state.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import { failedFileOf } from '../triggers/watch/failed-file.ts'
import { REASON } from '../triggers/watch/find-files.ts'
import { removeIfFile } from '../triggers/watch/look-at.ts'
import { trustedWay } from '../triggers/watch/trusted-way.ts'
import { pathOf, type Watch } from '../triggers/watch/watch.ts'
import { dropInto } from './drop-into.ts'

/**
 * Moves a file from `failed` back into its watched folder. It is taken like any other file: content whose run failed
 * gets another run. `givers`: the people who caused the new run. Returns the path. Throws `unknown-file`, `file-open`,
 * `file-has-run`, `file-gone` or `file-exists`.
 */
export async function dropAgain(
  { watch, key, givers }: { readonly watch: Watch; readonly key: string; readonly givers: readonly string[] },
  actor: Actor,
  { state, settings }: { readonly state: Pick<State, 'occurrences' | 'audit'>; readonly settings: Settings },
): Promise<string> {
  const ref = triggerRefOf(watch)
  const occurrence = await state.occurrences.find({ ...ref, key })
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
  // Another file with this name may appear there.
  await state.occurrences.close(occurrence, withoutUndefined({ ...detail, movedTo: undefined }))
  await state.audit.add({ ...actor, act: 'file.retry', subject: triggerName(ref), detail: name, outcome: 'done' })
  return file
}
