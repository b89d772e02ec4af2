import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type AudienceError, invalidError } from '../core/errors.ts'
import { shellWord } from '../core/shell-word.ts'
import { makeFolder } from './make-folder.ts'

/** The file that says that a folder, with everything below it, is the same on every machine. */
const MARKER = '.audience-shared'

/** Marks a folder as one that every machine sees under this path. Creates it if it is missing. */
export function markShared(folder: string): void {
  makeFolder(folder)
  const text =
    'Every worker of Audience Pipelines sees this folder under the same path; docs/many-machines.md says more.\n'
  writeFileSync(join(folder, MARKER), text)
}

/**
 * Throws `folder-not-shared` if neither the folder nor one above it is marked. On this machine it may be a different
 * folder than on the others, for example because nothing is mounted there.
 */
export function requireShared(folder: string): void {
  if (!isShared(folder)) throw notShared(folder)
}

/** Whether the folder or one above it is marked. */
export function isShared(folder: string): boolean {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, MARKER))) return true
    if (here === dirname(here)) return false
  }
}

function notShared(folder: string): AudienceError {
  return invalidError(
    'folder-not-shared',
    `${folder} has no ${MARKER}: nothing says that the other workers see the same folder there`,
    `mount the folder that the other workers use; if this is that folder, mark it once: audience workers share ${shellWord(folder)}`,
  )
}
