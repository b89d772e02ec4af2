import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeKeyFile } from '../../src/platform/key-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('the first key stays, is for its owner alone, and nothing is left beside it', () => {
  const folder = tempFolder()
  const file = join(folder, 'key')
  const key = makeKeyFile(file, 32)
  expect(key).toHaveLength(32)
  expect(() => makeKeyFile(file, 32)).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  expect(readFileSync(file)).toEqual(key)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['key'])
})
