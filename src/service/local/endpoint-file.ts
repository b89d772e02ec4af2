import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tried } from '../../core/tried.ts'

/** The address of a folder's service, for other processes of the same user. */
export interface LocalEndpoint {
  /** The base URL of the first participant, such as `http://127.0.0.1:4010/p/1001`. */
  readonly url: string
  readonly participantId: number
  readonly token: string
  readonly control: { readonly url: string; readonly token: string }
}

/** The endpoint that a file names, or undefined if there is none. */
export function readEndpoint(file: string): LocalEndpoint | undefined {
  // The text is not checked, because only `writeEndpoint` writes this file, and the file is complete when it gets its
  // name.
  return tried(() => JSON.parse(readFileSync(file, 'utf8')) as LocalEndpoint)
}

/** Writes the file under a temporary name and renames it. Only its owner may read it, because it contains a token. */
export function writeEndpoint(file: string, endpoint: LocalEndpoint): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(aside, JSON.stringify(endpoint), { mode: 0o600 })
  renameSync(aside, file)
}
