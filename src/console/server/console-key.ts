import { createHmac, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BYTES = 32

/**
 * The key that signs the sessions of a state, so that they outlive a restart. It is made if there is none. Removing its
 * file ends all sessions at the next start.
 */
export function consoleKey(stateFolder: string): Buffer {
  const file = join(stateFolder, 'console.key')
  return readKey(file) ?? makeKey(file)
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = readFileSync(file)
    return key.length === BYTES ? key : undefined
  } catch {
    return undefined
  }
}

function makeKey(file: string): Buffer {
  const key = randomBytes(BYTES)
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(aside, key, { mode: 0o600 })
  try {
    linkSync(aside, file)
    return key
  } catch {
    // Another process made one at the same moment, or the file holds no key.
    const other = readKey(file)
    if (other) return other
    rmSync(file, { force: true })
    linkSync(aside, file)
    return key
  } finally {
    rmSync(aside, { force: true })
  }
}

/** A signature under a key, for one purpose. */
export function signature(key: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\0${text}`).digest()
}
