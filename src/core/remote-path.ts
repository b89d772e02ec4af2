import { count } from './format/figures.ts'
import { namePattern } from './name-pattern.ts'
import { printable } from './printable.ts'
import { TAKEN_FOLDER } from './shown-path.ts'
import { mayBeNotUtf8 } from './utf8-name.ts'

/** The maximum length of a file name, in bytes of UTF-8. Our disks do not accept longer names. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 1024

/**
 * Why a remote name cannot be the name of a file here, as part of a sentence; undefined if it can. The name must be one
 * part of a path, must not lead elsewhere, and must appear on a terminal exactly as it is.
 */
export function whyNoRemoteName(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it is not the name of a file'
  if (/[/\\\0]/.test(name)) return 'it has a character that separates folders'
  if (name.includes('\t') || printable(name) !== name) return 'it has characters that do not show'
  if (mayBeNotUtf8(name)) return 'it is not UTF-8'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `it is longer than ${count(MAX_NAME_BYTES, 'byte')}`
  return undefined
}

/**
 * Why a path of a document or a configuration cannot be a path at a source, as part of a sentence; undefined if it can.
 * `''` is such a path.
 */
export function whyNoRemotePath(path: string): string | undefined {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${count(MAX_PATH_BYTES, 'byte')}`
  if (path === '' || path === '/') return undefined
  for (const part of path.replace(/^\//, '').split('/')) {
    const why = part === '' ? 'it has an empty part' : whyNoRemoteName(part)
    if (why !== undefined) return why
  }
  return undefined
}

/** Why a path is not a folder with a pattern, such as `crm/*.parquet`, as part of a sentence; undefined if it is. */
export function whyNoRemotePattern(path: string): string | undefined {
  const { folder, name } = splitRemotePath(path)
  const why = whyNoRemotePath(folder)
  if (why !== undefined) return why
  if (/[*?[{]/.test(folder)) return 'only its last part may be a pattern'
  if (name === '') return 'it names a folder, not files'
  try {
    namePattern(name)
    return undefined
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
}

/** The folder and the last part of a path: `incoming/*.csv` becomes `incoming` and `*.csv`. */
export function splitRemotePath(path: string): { readonly folder: string; readonly name: string } {
  const at = path.lastIndexOf('/')
  return { folder: at === 0 ? '/' : path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) }
}

/** A name in a folder. The name has already been checked: see `whyNoRemoteName`. */
export function joinRemotePath(folder: string, name: string): string {
  return folder === '' || folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}

/** Where `take` puts a file: next to its old location, so that the move stays on one file system. */
export function takenPath(path: string, ticket: string): string {
  const { folder, name } = splitRemotePath(path)
  return [TAKEN_FOLDER, ticket, name].reduce(joinRemotePath, folder)
}
