import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { madeThingsSuite } from '../../contract/made-things-suite.ts'
import { around } from '../../support/around.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const STORED = join(import.meta.dirname, '../../fixtures/state')
const SERVICE = 'https://a.test'

madeThingsSuite('SQLite', sqlitePlace)

test('what older versions remembered of activations and matches is found, at the service of the profile', async () => {
  const folder = tempFolder()
  const old = new DatabaseSync(join(folder, 'runs.db'))
  old.exec(readFileSync(join(STORED, 'version-2.sql'), 'utf8'))
  const insert = old.prepare('INSERT INTO ledger (profile, pipeline, step, data) VALUES (?, ?, ?, ?)')
  insert.run('local', '', 'activation 17', '{"segmentId":"s","matchId":null,"owner":"my night ly activate"}')
  insert.run('local', '', 'match 18', '{"counterpart":"group 9007199254740993"}')
  insert.run('local', '', 'segment s', '{"build":"j"}')
  insert.run('local', 'p', 'activation 19', '{"segmentId":"s"}')
  insert.run('local', '', 'match 20', '{')
  old.close()

  const here = { profile: 'local', service: SERVICE }
  const { made, memory, journal } = openEmbeddedState({
    ...{ folder, redact: (text) => text, ...around, here, meantByProfile: SERVICE },
  })
  expect(await made.byId('activation', '17')).toEqual({
    ...{ kind: 'activation', id: '17', job: undefined, name: '', about: { segmentId: 's', matchId: null } },
    ...{ pipeline: 'my night ly', step: 'activate', runId: '', at: 0, found: true },
  })
  expect((await made.byId('match', '18'))?.about).toEqual({ counterpart: 'group 9007199254740993' })
  expect(await made.byId('match', '20')).toBeUndefined()
  const key = (pipeline: string, step: string) => memory.get({ profile: 'local', pipeline, step })
  expect([await key('', 'segment s'), await key('p', 'activation 19')]).toEqual([{ build: 'j' }, { segmentId: 's' }])
  expect([await key('', 'activation 17'), await key('', 'match 18')]).toEqual([undefined, undefined])
  journal.close()
})
