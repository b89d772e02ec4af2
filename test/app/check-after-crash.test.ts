import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkAfterCrash } from '../../src/app/check-after-crash.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each([
  ['of 200 MB is left to a person', 200_000_000, 'state check'],
  ['of 8 kB is looked through', 8192, 'is damaged'],
])('after an exit without a clean shutdown a state %s', (_, bytes, said) => {
  const folder = tempFolder()
  const file = join(folder, 'runs.db')
  writeFileSync(file, 'no database')
  truncateSync(file, bytes)
  writeFileSync(`${file}-wal`, 'left behind')
  const heard: string[] = []
  const note = (_fields: object, text: string) => void heard.push(text)
  try {
    checkAfterCrash(folder, { info: note, warn: note } as never, () => 0)
  } catch (error) {
    heard.push(String(error))
  }
  expect(heard).toEqual([expect.stringContaining(said)])
})

test.each([
  ['is empty', ''],
  ['is gone', undefined],
])('a state whose file %s while its log is there is damaged', (_, content) => {
  const folder = tempFolder()
  const file = join(folder, 'runs.db')
  if (content !== undefined) writeFileSync(file, content)
  writeFileSync(`${file}-wal`, 'left behind')
  const log = { info: () => undefined, warn: () => undefined } as never
  expect(() => checkAfterCrash(folder, log, () => 0)).toThrow(expect.objectContaining({ code: 'state-damaged' }))
})
