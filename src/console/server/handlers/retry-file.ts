import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { uploadsFolder } from '../../../config/settings.ts'
import { triggerName } from '../../../core/occurrence.ts'
import { noteGiverOf } from '../../../daemon/file-givers.ts'
import { fileCheck } from '../../../policy/enforce.ts'
import { localDisk } from '../../../triggers/watch/disk.ts'
import { REASON } from '../../../triggers/watch/find-files.ts'
import { trustedWay } from '../../../triggers/watch/trusted-way.ts'
import { pathOf } from '../../../triggers/watch/watch.ts'
import { conflict, notFound } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { dropInto } from '../drop-into.ts'
import { failedFileOf } from '../failed-file.ts'
import { findTrigger } from '../trigger-facts.ts'

/** Moves a file that had no run from `failed` back into its watched folder, which takes it as any other. */
export const retryFile: Handler<'files.retry'> = async (deps, input, { caller }) => {
  const { pipeline, trigger: id, key, reason } = input
  const { ref, document, trigger } = findTrigger(deps, 'watch', { pipeline, trigger: id })
  const occurrence = await deps.state.occurrences.find({ ...ref, key })
  const { name, ticket } = occurrence?.detail ?? {}
  if (!occurrence || typeof name !== 'string') throw notFound('unknown-file', `${triggerName(ref)} has no file ${key}`)
  if (occurrence.open) throw conflict('file-open', `the file ${name} is not yet in done or failed`)
  if (occurrence.runId !== undefined)
    throw conflict('file-has-run', `the file ${name} had a run`, `retry the run ${occurrence.runId}`)
  const found = await failedFileOf(occurrence)
  if (found === undefined) throw conflict('file-gone', `the file ${name} is not in the folder for failed files`)
  const trusted = (path: string) => trustedWay(localDisk, path, document.folder)
  const source = join(await trusted(dirname(found)), basename(found))
  const folder = await trusted(pathOf({ ...document, trigger }))
  for (const path of [source, folder]) fileCheck(deps.settings.policy)(path)
  await noteGiverOf(uploadsFolder(deps.settings), source, caller.by)
  const file = await dropInto(localDisk, { source, folder, name, ticket: String(ticket) }, trigger.pattern)
  await rm(source + REASON, { force: true })
  const act = { act: 'file.retry', subject: triggerName(ref), detail: name, outcome: 'done' } as const
  await deps.state.audit.add({ ...actorOfCaller(caller, reason), ...act })
  return { file }
}
