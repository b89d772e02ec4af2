import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { csvDialect } from '../../src/lists/csv-dialect.ts'
import type { ListInput } from '../../src/lists/list-input.ts'
import { type StrayColumn, strayLine } from '../../src/lists/stray-column.ts'
import { tempFolder } from '../support/temp-folder.ts'

const MD5 = 'a1'.repeat(16)

test.each<[string, FileSignal, StrayColumn['kind'], string, number | undefined]>([
  ['anything in a second column of the name', 'EMAIL', 'same', 'email', 1],
  ['anything but blanks there', 'EMAIL', 'same', ' \u200b', undefined],
  ['anything but the name itself', 'EMAIL', 'same', 'b', undefined],
  ['a key', 'EMAIL', 'free', 'A@x.test', 1],
  ['no key', 'EMAIL', 'free', 'ann', undefined],
  ['an address in a text', 'EMAIL', 'other', 'Ann <a@x.test>', 1],
  ['an address in a text, where IP addresses are looked for', 'IP', 'other', 'Ann <a@x.test>', undefined],
  ['a hash that cannot be compared, in a column for hashes', 'EMAIL', 'like', MD5, 1],
  ['such a hash in another column', 'EMAIL', 'free', MD5, undefined],
  ['fewer digits', 'EMAIL', 'like', MD5.slice(1), undefined],
])('the line of a key that must not stand in a column: %s', async (_what, signal, kind, field, number) => {
  const path = join(tempFolder(), 'opt-outs')
  writeFileSync(path, `x,"${field}"\n`)
  const input = { path, format: 'csv', dialect: csvDialect('a,b\n') } as ListInput
  const work = { signal: new AbortController().signal }
  expect(await strayLine(input, { column: 2, name: 'b', kind }, { signal, work })).toBe(number)
})
