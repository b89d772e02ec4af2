import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { createStateProbe } from '../../../src/state/sqlite/state-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a state that can be written is no error; what it finds is kept for five seconds', () => {
  const folder = tempFolder()
  openState(folder).close()
  let now = 0
  const probe = createStateProbe(folder, () => now)
  expect(probe).not.toThrow()
  rmSync(folder, { recursive: true })
  now = 4999
  expect(probe).not.toThrow()
  now = 5000
  expect(probe).toThrow('unable to open database file')
})

test('a state that another process keeps to itself is not writable', () => {
  const folder = tempFolder()
  const db = openState(folder)
  db.exec('BEGIN IMMEDIATE')
  expect(createStateProbe(folder, () => 0)).toThrow('database is locked')
  db.exec('ROLLBACK')
  db.close()
})
