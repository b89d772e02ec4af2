import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { openSource } from '../../../src/state/sqlite/open-source.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('the database of a folder is read as it is at this moment, and a folder without one says so', async () => {
  const folder = tempFolder()
  expect(() => openSource(folder)).toThrow(expect.objectContaining({ code: 'no-state' }))
  const state = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const source = openSource(folder)
  const followed = () => source.db.prepare('SELECT upstream FROM follows').all()
  expect(followed()).toEqual([])
  await state.ends.follow({ pipeline: 'p', trigger: 't' }, ['a'])
  expect(followed()).toEqual([])
  source.db.close()
  await state.close()
})
