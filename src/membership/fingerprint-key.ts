import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { AudienceError } from '../core/errors.ts'
import { makeKeyFile } from '../platform/key-file.ts'
import { makeFolder } from '../platform/make-folder.ts'
import type { FingerprintKey } from './fingerprints.ts'

const BYTES = 32

/** The key of a folder of fingerprints. Makes one that only its owner can read, if there is none. */
export function fingerprintKey(folder: string): FingerprintKey {
  return readFingerprintKey(folder) ?? makeKey(folder)
}

/** The key of a folder of fingerprints; undefined if there is none. Throws `fingerprint-key` if it cannot be used. */
export function readFingerprintKey(folder: string): FingerprintKey | undefined {
  const file = keyFile(folder)
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(file, error)
  }
  if (bytes.length !== BYTES) throw unusable(file)
  return { id: createHash('sha256').update('id').update(bytes).digest('hex').slice(0, 16), bytes }
}

/** If several processes make a key at the same time, the first one wins. */
function makeKey(folder: string): FingerprintKey {
  makeFolder(folder)
  const file = keyFile(folder)
  try {
    makeKeyFile(file, BYTES)
  } catch (error) {
    if (readFingerprintKey(folder) === undefined) throw unusable(file, error)
  }
  return readFingerprintKey(folder) ?? makeKey(folder)
}

/** The path of the key of a folder of fingerprints. */
export function keyFile(folder: string): string {
  return join(folder, 'key')
}

function unusable(file: string, cause?: unknown): AudienceError {
  return new AudienceError({
    code: 'fingerprint-key',
    kind: 'failed',
    message: `the key of the fingerprints, ${file}, cannot be used`,
    hint: 'check that its owner can read and write it; if it is damaged, remove it: the comparison of lists then starts again with the next run',
    cause,
  })
}
