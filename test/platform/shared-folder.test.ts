import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { markShared, requireShared } from '../../src/platform/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a folder is shared if it or one above it is marked; another one is refused with the command that marks it', () => {
  const folder = tempFolder()
  const inbox = join(folder, 'a/inbox')
  mkdirSync(inbox, { recursive: true })
  expect(() => requireShared(inbox)).toThrow(expect.objectContaining({ code: 'folder-not-shared', kind: 'invalid' }))
  expect(() => requireShared(inbox)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(`audience workers share ${inbox}`) }),
  )
  markShared(join(folder, 'a'))
  expect(() => requireShared(inbox)).not.toThrow()
  expect(() => requireShared(join(folder, 'a/not-there/yet'))).not.toThrow()
  expect(() => requireShared(join(folder, 'b'))).toThrow('has no .audience-shared')
})
