import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The address of a folder's service, for other processes of the same user. */
export interface Endpoint {
  readonly url: string
  readonly participantId: number
  readonly token: string
  readonly control: { readonly url: string; readonly token: string }
}

/** The endpoint that a file names, or undefined if there is none. */
export function readEndpoint(file: string): Endpoint | undefined {
  try {
    // Only `writeEndpoint` writes this file, and it renames.
    return JSON.parse(readFileSync(file, 'utf8')) as Endpoint
  } catch {
    return undefined
  }
}

/** Written to a temporary file and renamed; only its owner may read it, because it holds a token. */
export function writeEndpoint(file: string, endpoint: Endpoint): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(aside, JSON.stringify(endpoint), { mode: 0o600 })
  renameSync(aside, file)
}
