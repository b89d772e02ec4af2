import { createHmac } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/tried.ts'
import { makeKeyFile } from '../../platform/key-file.ts'
import { makeFolder } from '../../platform/make-folder.ts'

const BYTES = 32

/**
 * Reads the key that signs the sessions of a state, or makes one if there is none. The key is stored, so that sessions
 * survive a restart. If its file is removed, all sessions end at the next start.
 */
export function consoleKey(folder: string): Buffer {
  makeFolder(folder)
  const file = join(folder, 'console.key')
  return readKey(file) ?? makeKey(file)
}

function readKey(file: string): Buffer | undefined {
  const key = tried(() => readFileSync(file))
  return key?.length === BYTES ? key : undefined
}

function makeKey(file: string): Buffer {
  try {
    return makeKeyFile(file, BYTES)
  } catch {
    // Another process made a key at the same moment, or the file does not contain a key.
    const other = readKey(file)
    if (other) return other
    rmSync(file, { force: true })
    return makeKeyFile(file, BYTES)
  }
}

/** Signs a text with a key for one purpose. */
export function signature(key: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\0${text}`).digest()
}
