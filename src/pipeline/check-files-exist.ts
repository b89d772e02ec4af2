import { basename, dirname, join, resolve } from 'node:path'
import { closestName } from '../core/did-you-mean.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import { documentFileNodes, type WithFiles } from './named-files.ts'

/** The files of the machine that a document is checked on. */
export interface FilesOfMachine {
  readonly isFile: (path: string) => boolean
  /** Why the system does not let this user look at a path; undefined if it does. */
  readonly whyUnseen: (path: string) => string | undefined
  /** The names of the files in a folder; none if it does not exist. */
  readonly namesIn: (folder: string) => readonly string[]
}

/**
 * Warns of named files that do not exist. These are only warnings, because a document may be checked on a machine
 * without the data.
 */
export function checkFilesExist(
  document: WithFiles,
  source: {
    file: string
    files: FilesOfMachine
    policy: DocumentPolicy | undefined
  },
  reporter: DiagnosticCollector,
): void {
  const { file, files, policy } = source
  const folder = dirname(resolve(file))
  for (const node of documentFileNodes(document)) {
    const path = textOf(node)
    if (path === undefined || path.trim() === '' || path.includes('${{')) continue
    const target = resolve(folder, path)
    // A file that the document may not use has been reported, so its existence is not checked.
    if (policy?.file(target, folder) || files.isFile(target)) continue
    const hint =
      otherName(path, basename(target), files.namesIn(dirname(target))) ??
      `it is looked up in ${shownFolder(file)}, the folder of this document`
    reporter.warning(missingFile(path, hint, files.whyUnseen(target)), node)
  }
}

/** The problem with a file that is not found; `why`: why this user cannot look. */
export function missingFile(path: string, hint: string, why: string | undefined) {
  if (why === undefined) return { code: 'missing-file', message: `there is no file ${path}`, hint }
  const message = `it is not known whether there is a file ${path}: ${why}`
  return { code: 'file-unreadable', message, hint: 'check the permissions of the folders above it' }
}

/** A better path, from the names in the same folder. */
export function otherName(path: string, name: string, beside: readonly string[]): string | undefined {
  const closest = closestName(name, beside)
  if (closest === name) return 'it is a folder, or not a regular file: name a file'
  return closest && `did you mean ${join(dirname(path), closest)}?`
}

function shownFolder(file: string): string {
  const folder = dirname(file)
  return folder === '.' ? 'the working directory' : folder
}
