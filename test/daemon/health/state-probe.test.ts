import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createStateProbe } from '../../../src/daemon/health/state-probe.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a state that can be written gives no reason; what it finds is kept for five seconds', () => {
  const folder = tempFolder()
  openState(folder).close()
  let now = 0
  const probe = createStateProbe(folder, () => now)
  expect(probe()).toBeUndefined()
  rmSync(folder, { recursive: true })
  now = 4999
  expect(probe()).toBeUndefined()
  now = 5000
  expect(probe()).toBe('unable to open database file')
})

test('a state that another process keeps to itself is not writable', () => {
  const folder = tempFolder()
  const db = openState(folder)
  db.exec('BEGIN IMMEDIATE')
  expect(createStateProbe(folder, () => 0)()).toBe('database is locked')
  db.exec('ROLLBACK')
  db.close()
})
