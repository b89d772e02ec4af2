import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkState, quickCheck } from '../../../src/state/sqlite/check-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a damaged file is a problem of the state', () => {
  const file = join(tempFolder(), 'runs.db')
  writeFileSync(file, 'no database at all, but long enough to be looked at by SQLite'.repeat(20))
  const message = 'file is not a database'
  expect(checkState(file)).toEqual({ ok: false, problems: [{ kind: 'database', message }] })
  expect(quickCheck(file)).toBe(message)
})

test('a file that cannot be opened is no damage: the error is thrown', () => {
  const file = join(tempFolder(), 'runs.db')
  mkdirSync(file)
  expect(() => checkState(file)).toThrow(/unable to open|disk I\/O/)
  expect(() => quickCheck(file)).toThrow(/unable to open|disk I\/O/)
})

test('a whole state has no problem, also after an unclean stop', async () => {
  const folder = tempFolder()
  await openEmbeddedState({ folder, redact: (text) => text, ...around }).close()
  expect(quickCheck(join(folder, 'runs.db'))).toBeUndefined()
  expect(checkState(join(folder, 'runs.db'))).toMatchObject({ ok: true })
})
