import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openReadableState } from '../../../src/state/sqlite/open-readable-state.ts'
import { openState, STATE_VERSION } from '../../../src/state/sqlite/open-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test.each([0, -5, 1, STATE_VERSION])(
  'a database of another program, of version %i, is no state and stays as it is',
  (version) => {
    const folder = join(tempFolder(), 'state')
    mkdirSync(folder, { mode: 0o700 })
    const file = join(folder, 'runs.db')
    const tables = () => {
      const db = new DatabaseSync(file)
      const found = db.prepare('SELECT name FROM sqlite_schema').all()
      db.close()
      return found
    }
    const db = new DatabaseSync(file)
    db.exec(`CREATE TABLE bookmarks (url); PRAGMA user_version = ${version}`)
    db.close()
    const refusal = expect.objectContaining({
      code: 'not-a-state',
      message: expect.stringContaining('another program'),
    })
    expect(() => openState(folder)).toThrow(refusal)
    expect(() => openReadableState(folder, around)).toThrow(refusal)
    expect(tables()).toEqual([{ name: 'bookmarks' }])
  },
)
