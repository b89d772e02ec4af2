import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { consoleKey } from '../../src/console/server/console-key.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the key of a state outlives a restart, also one of an earlier version, and only its owner may read it', () => {
  const folder = join(tempFolder(), 'console')
  const key = consoleKey(folder)
  expect(consoleKey(folder)).toEqual(key)
  expect(statSync(join(folder, 'console.key')).mode & 0o077).toBe(0)
  const earlier = randomBytes(32)
  writeFileSync(join(folder, 'console.key'), earlier)
  expect(consoleKey(folder)).toEqual(earlier)
})

test('a file that holds no key gets a new one', () => {
  const folder = tempFolder()
  const file = join(folder, 'console.key')
  for (const text of ['', 'short']) {
    writeFileSync(file, text)
    const key = consoleKey(folder)
    expect(key).toHaveLength(32)
    expect(readFileSync(file)).toEqual(key)
  }
})
