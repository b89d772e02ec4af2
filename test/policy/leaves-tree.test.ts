import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leavesTree, touchesTree } from '../../src/policy/allowed-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['tree/a.csv', false, true],
  ['tree/out/a.csv', true, true],
  ['tree/.git/config', true, true],
  ['tree/linked/.git/a.csv', true, true],
  ['tree/plain/config', true, true],
  ['tree/also/a.csv', false, true],
  ['beside/a.csv', false, false],
  ['beside/.git/config', false, false],
  ['beside/in/a.csv', false, true],
])('%s leaves the tree: %s, and touches it: %s', (name, leaves, touches) => {
  const folder = realpathSync(tempFolder())
  for (const own of ['tree/lists', 'tree/linked', 'tree/.git', 'beside'])
    mkdirSync(join(folder, own), { recursive: true })
  symlinkSync(join(folder, 'tree/lists'), join(folder, 'tree/linked/.git'))
  symlinkSync(join(folder, 'tree/.git'), join(folder, 'tree/plain'))
  symlinkSync(join(folder, 'tree/lists'), join(folder, 'tree/also'))
  symlinkSync(join(folder, 'beside'), join(folder, 'tree/out'))
  symlinkSync(join(folder, 'tree'), join(folder, 'beside/in'))
  expect([leavesTree, touchesTree].map((is) => is(join(folder, name), join(folder, 'tree')))).toEqual([leaves, touches])
})
