import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isDocumentName } from '../../daemon/documents/find-pipeline-files.ts'
import type { GitBase } from '../../platform/git-changes.ts'
import { isBelow } from '../../platform/is-below.ts'
import { isFile } from '../../platform/is-file.ts'
import { isOfProject, mayBeOfProject } from '../project.ts'

/** A project as it was at the base of a branch. */
export interface BaseProject extends Pick<GitBase, 'hasChanged'> {
  /** Its folder. */
  readonly root: string
  /** The documents that no longer exist, relative to the project. */
  readonly gone: readonly string[]
}

/** Writes the committed files of a project into a folder. `root`: the real path of the current project. */
export async function writeBase(base: GitBase, root: string, folder: string): Promise<BaseProject> {
  const gone: string[] = []
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const [path, blob] of base.files) {
    const name = relative(root, path)
    if (!isBelow(root, path) || blob.isLink || !mayBeOfProject(name, blob.size)) continue
    const text = base.hasChanged(path) ? ((await base.textOf(blob)) ?? '') : readFileSync(path, 'utf8')
    if (!isOfProject(name, text)) continue
    if (isDocumentName(path) && !isFile(path)) gone.push(name)
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), text)
  }
  return { root: folder, gone, hasChanged: (path) => base.hasChanged(path) }
}
