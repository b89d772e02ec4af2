import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadsFolder } from '../../../config/settings.ts'
import { MAX_UPLOAD_BYTES } from '../../../contract/files.ts'
import { noteUploader } from '../../../daemon/file-givers.ts'
import { makeFolder } from '../../../platform/make-folder.ts'
import { fileCheck } from '../../../policy/enforce.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { findDocument } from '../pipeline-facts.ts'
import { isPlainName, receiveFile, wrongName } from '../receive-file.ts'

/** Keeps a file for an input of a run, in a folder of its own. A part of a file has a hidden name, so no run can name it. */
export const uploadInput: Handler<'uploads.add'> = async (deps, { pipeline, name }, { caller, body }) => {
  const { settings, state } = deps
  findDocument(deps, pipeline)
  if (!isPlainName(name)) throw wrongName('is not a file name')
  const folder = join(uploadsFolder(settings), randomBytes(8).toString('hex'))
  const file = join(folder, name)
  fileCheck(settings.policy)(file)
  makeFolder(folder)
  try {
    const part = join(folder, '.part')
    const { size } = await receiveFile(body, part, MAX_UPLOAD_BYTES)
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
