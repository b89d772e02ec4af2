import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Settings, uploadsFolder } from '../config/settings.ts'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { triggerName, triggerRefOf } from '../core/occurrence.ts'
import type { Actor } from '../core/run.ts'
import { noteGiver, noteUploader } from '../daemon/file-givers.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { State } from '../state/state.ts'
import { localDisk } from '../triggers/watch/disk.ts'
import { filePattern } from '../triggers/watch/file-pattern.ts'
import { trustedWay } from '../triggers/watch/trusted-way.ts'
import { foldersOf, pathOf, type Watch } from '../triggers/watch/watch.ts'
import { dropInto } from './drop-into.ts'
import { receiveUpload, requirePlainName, wrongName } from './receive-upload.ts'

interface Upload {
  /** The name that the file gets. */
  readonly name: string
  readonly body: AsyncIterable<Buffer>
}

interface UploadDeps {
  state: Pick<State, 'audit'>
  settings: Pick<Settings, 'shared' | 'policy'>
}

/** A person or a program with a name. */
type Uploader = Actor & { readonly by: string }

interface Uploaded {
  /** Its absolute path. */
  readonly file: string
  /** In bytes. */
  readonly size: number
}

/**
 * Puts a file into a watched folder, under a hidden name until it is complete. The audit log gets an entry. Throws
 * `bad-request` for a name that the trigger would not take, `file-too-large`, or what `dropInto` throws.
 */
export async function uploadToFolder(
  { watch, name, body }: Upload & { watch: Watch },
  actor: Uploader,
  { state, settings }: UploadDeps,
): Promise<Uploaded> {
  const { pattern, precheck } = watch.trigger
  requireName(name, watch)
  const folder = await trustedWay(localDisk, pathOf(watch), watch.folder)
  fileCheck(settings.policy)(folder)
  const ticket = randomBytes(6).toString('hex')
  const source = join(folder, `.${ticket}.upload`)
  try {
    const { size, sha256 } = await receiveUpload(body, source, precheck.maxBytes)
    noteGiver(uploadsFolder(settings), sha256, actor.by)
    const file = await dropInto(localDisk, { source, folder, name, ticket }, pattern)
    const subject = triggerName(triggerRefOf(watch))
    await state.audit.add({ ...actor, act: 'file.upload', subject, detail: name, outcome: 'done' })
    return { file, size }
  } finally {
    await rm(source, { force: true })
  }
}

function requireName(name: string, watch: Watch): void {
  const { pattern } = watch.trigger
  requirePlainName(name)
  if (!filePattern(pattern).matches(name))
    throw wrongName(`does not match ${pattern}, so the trigger would not take it`)
  if (foldersOf(watch).includes(resolve(pathOf(watch), name)))
    throw wrongName('is the name of a folder to which files are moved')
}

/**
 * Stores a file for an input of a pipeline, in a folder of its own. No run can use an incomplete file, because its name
 * is hidden. The audit log gets an entry. Throws `bad-request` for a name that is not plain, or `file-too-large`.
 */
export async function uploadForInput(
  { pipeline, name, body }: Upload & { pipeline: string },
  actor: Uploader,
  { state, settings }: UploadDeps,
): Promise<Uploaded> {
  requirePlainName(name)
  const folder = join(uploadsFolder(settings), randomBytes(8).toString('hex'))
  const file = join(folder, name)
  fileCheck(settings.policy)(file)
  makeFolder(folder)
  try {
    const part = join(folder, '.part')
    const { size } = await receiveUpload(body, part, MAX_UPLOAD_BYTES)
    noteUploader(folder, actor.by)
    await rename(part, file)
    await state.audit.add({ ...actor, act: 'input.upload', subject: pipeline, detail: name, outcome: 'done' })
    return { file, size }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
