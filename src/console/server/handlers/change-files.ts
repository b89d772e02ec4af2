import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { dropAgain } from '../../../acts/drop-again.ts'
import { dropInto } from '../../../acts/drop-into.ts'
import { uploadsFolder } from '../../../config/settings.ts'
import { MAX_UPLOAD_BYTES } from '../../../contract/files.ts'
import { triggerName } from '../../../core/occurrence.ts'
import { noteGiver, noteUploader } from '../../../daemon/file-givers.ts'
import { makeFolder } from '../../../platform/make-folder.ts'
import { fileCheck } from '../../../policy/enforce.ts'
import { localDisk } from '../../../triggers/watch/disk.ts'
import { filePattern } from '../../../triggers/watch/file-pattern.ts'
import { trustedWay } from '../../../triggers/watch/trusted-way.ts'
import { foldersOf, pathOf, type Watch } from '../../../triggers/watch/watch.ts'
import type { ApiHandler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { findDocument, findTrigger } from '../document-facts.ts'
import { receiveUpload, requirePlainName, wrongName } from '../receive-upload.ts'

/** Uploads a file into a watched folder under a hidden name. The file gets its own name when it is complete. */
export const handleUploadFile: ApiHandler<'files.upload'> = async (deps, input, { caller, body }) => {
  const { pipeline, trigger: id, name, reason } = input
  const { ref, document, trigger } = findTrigger(deps, 'watch', { pipeline, trigger: id })
  const watch = { ...document, trigger }
  requireName(name, watch)
  const folder = await trustedWay(localDisk, pathOf(watch), document.folder)
  fileCheck(deps.settings.policy)(folder)
  const ticket = randomBytes(6).toString('hex')
  const source = join(folder, `.${ticket}.upload`)
  try {
    const { size, sha256 } = await receiveUpload(body, source, trigger.precheck.maxBytes)
    noteGiver(uploadsFolder(deps.settings), sha256, caller.by)
    const file = await dropInto(localDisk, { source, folder, name, ticket }, trigger.pattern)
    const act = { act: 'file.upload', subject: triggerName(ref), detail: name, outcome: 'done' } as const
    await deps.state.audit.add({ ...actorOfCaller(caller, reason), ...act })
    return { file, size }
  } finally {
    await rm(source, { force: true })
  }
}

/** Throws a failure with status 400 for a name that the trigger would not take. */
function requireName(name: string, watch: Watch): void {
  const { pattern } = watch.trigger
  requirePlainName(name)
  if (!filePattern(pattern).matches(name))
    throw wrongName(`does not match ${pattern}, so the trigger would not take it`)
  if (foldersOf(watch).includes(resolve(pathOf(watch), name)))
    throw wrongName('is the name of a folder to which files are moved')
}

export const handleRetryFile: ApiHandler<'files.retry'> = async (deps, input, { caller }) => {
  const { pipeline, trigger: id, key, reason } = input
  const { document, trigger } = findTrigger(deps, 'watch', { pipeline, trigger: id })
  const asked = { watch: { ...document, trigger }, key, givers: [caller.by] }
  return { file: await dropAgain(asked, actorOfCaller(caller, reason), deps) }
}

/** Stores a file for an input in a folder of its own. No run can use an incomplete file, because its name is hidden. */
export const handleUploadInput: ApiHandler<'uploads.add'> = async (deps, { pipeline, name }, { caller, body }) => {
  const { settings, state } = deps
  findDocument(deps, pipeline)
  requirePlainName(name)
  const folder = join(uploadsFolder(settings), randomBytes(8).toString('hex'))
  const file = join(folder, name)
  fileCheck(settings.policy)(file)
  makeFolder(folder)
  try {
    const part = join(folder, '.part')
    const { size } = await receiveUpload(body, part, MAX_UPLOAD_BYTES)
    noteUploader(folder, caller.by)
    await rename(part, file)
    const act = { act: 'input.upload', subject: pipeline, detail: name, outcome: 'done' } as const
    await state.audit.add({ ...actorOfCaller(caller), ...act })
    return { file, size }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
