import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { UploadersOf } from '../core/engine.ts'
import { sha256 } from '../core/sha256.ts'
import { filesIn } from '../pipeline/named-files.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { namesIn } from '../platform/names-in.ts'
import { openRegular } from '../platform/open-regular.ts'
import { readChunks } from '../platform/read-chunks.ts'

/**
 * Remembers the names of people who gave a file through the console. The notes are beside the uploads, where only the
 * owner of the state can write, and are removed with them. `uploads` is their folder. A file that came into a watched
 * folder by other means has no giver.
 */

/** Records who put a file with this content into a watched folder. */
export function noteGiver(uploads: string, content: string, by: string): void {
  note(givenFolder(uploads, content), by)
}

/** Like `noteGiver`, for a file that is elsewhere and will be moved into a watched folder. */
export async function noteGiverOf(uploads: string, file: string, by: string): Promise<void> {
  const hash = createHash('sha256')
  await using opened = await openRegular(file)
  for await (const chunk of readChunks(opened)) hash.update(chunk)
  noteGiver(uploads, hash.digest('hex'), by)
}

/** Returns who put a file with this content into a watched folder through the console. */
export function giversOf(uploads: string, content: string): readonly string[] {
  return notesIn(givenFolder(uploads, content))
}

/** Notes who uploaded the file in this folder for an input of a run. */
export function noteUploader(folder: string, by: string): void {
  note(join(folder, HIDDEN), by)
}

/** Finds who uploaded the files among the inputs of a run. */
export function uploadersIn(uploads: string): UploadersOf {
  return ({ pipeline, inputs, folder }) => {
    const files = Object.entries(pipeline.inputs).flatMap(([name, declared]) => filesIn(declared, inputs[name] ?? null))
    return files.flatMap((file) => {
      const own = dirname(resolve(folder, file))
      return relative(uploads, own) === basename(own) ? notesIn(join(own, HIDDEN)) : []
    })
  }
}

/** The name of the notes is hidden, because no run can name a hidden file. */
const HIDDEN = '.by'

function givenFolder(uploads: string, content: string): string {
  return join(uploads, `${HIDDEN}-${content}`)
}

/** One file for each name, so that two notes written at the same moment do not interfere with each other. */
function note(folder: string, by: string): void {
  makeFolder(folder)
  const file = join(folder, sha256(by))
  writeFileSync(`${file}.new`, by, { mode: 0o600 })
  // This updates the folder's time, so that the folder is kept as long as a new one.
  renameSync(`${file}.new`, file)
}

function notesIn(folder: string): readonly string[] {
  return namesIn(folder).flatMap((name) => (name.endsWith('.new') ? [] : [readFileSync(join(folder, name), 'utf8')]))
}
