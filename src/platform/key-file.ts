import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { giveName } from './give-name.ts'

/**
 * Makes a file with a random key that only its owner can read, and returns the key. If several processes make it at the
 * same time, the first one wins; for the others, this function throws, because the file exists.
 */
export function makeKeyFile(file: string, bytes: number): Buffer {
  const key = randomBytes(bytes)
  const aside = `${file}.${randomUUID()}.partial`
  try {
    const handle = openSync(aside, 'wx', 0o600)
    try {
      writeSync(handle, key)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    giveName(aside, file)
    return key
  } finally {
    rmSync(aside, { force: true })
  }
}
