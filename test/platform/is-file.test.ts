import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isFile } from '../../src/platform/is-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a file, and a link to one; no folder, nothing, and nothing that cannot be looked at', () => {
  const folder = tempFolder()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('file'), '')
  symlinkSync(at('file'), at('link'))
  mkdirSync(at('folder'))
  symlinkSync(at('loop'), at('loop'))
  const names = ['file', 'link', 'folder', 'missing', 'loop', 'file/inside', 'x'.repeat(300)]
  expect(names.filter((name) => isFile(at(name)))).toEqual(['file', 'link'])
})
