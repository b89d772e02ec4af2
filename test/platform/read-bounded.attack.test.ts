import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBounded } from '../../src/platform/read-bounded.ts'
import { fileCheck } from '../../src/policy/enforce.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a folder that is swapped between the check and the reading gives nothing from outside', () => {
  const folder = tempFolder()
  const [root, outside] = [join(folder, 'data'), join(folder, 'outside')]
  for (const each of [join(root, 'in'), outside]) {
    mkdirSync(each, { recursive: true })
    writeFileSync(join(each, 'days.txt'), each)
  }
  const check = fileCheck({ ownEnv: [], fileRoots: [root] })
  const path = join(root, 'in', 'days.txt')
  expect(readBounded(path, 1000, check).toString()).toBe(join(root, 'in'))
  let isSwapped = false
  const swapping = (file: string) => {
    check(file)
    if (isSwapped) return
    isSwapped = true
    renameSync(join(root, 'in'), join(root, 'was'))
    symlinkSync(outside, join(root, 'in'))
  }
  expect(() => readBounded(path, 1000, swapping)).toThrow(expect.objectContaining({ code: 'file-not-allowed' }))
})

test('a pipe and a large file are not read', () => {
  const folder = tempFolder()
  const [pipe, large] = [join(folder, 'pipe'), join(folder, 'large')]
  execFileSync('mkfifo', [pipe])
  writeFileSync(large, Buffer.alloc(1001))
  expect(() => readBounded(pipe, 1000)).toThrow('it is not a file')
  expect(() => readBounded('/dev/zero', 1000)).toThrow('it is not a file')
  expect(() => readBounded(large, 1000)).toThrow('it is larger than')
})
