import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { Journal } from '../../../src/state/journal.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { createRecordsTogether } from '../../../src/state/sqlite/records-together.ts'
import { around } from '../../support/around.ts'
import { damageRecord } from '../../support/damage-record.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const LONG = 'x'.repeat(100_000)

/** Three runs. The records of `b` need their own pages. */
async function threeRuns(damage: (file: string) => void): Promise<Journal> {
  const folder = tempFolder()
  const open = () => openEmbeddedState({ folder, redact: (text) => text, ...around }).journal
  const first = open()
  const document = { pipeline: 'p', file: 'p.yaml', folder: '/', text: 'the document', digest: '' }
  for (const [runId, inputs] of Object.entries({ a: {}, b: { long: LONG }, c: {} }))
    await first.submit({ runId, at: 1, record: { type: 'run.submitted', ...document, inputs, trigger: {} } })
  first.close()
  damage(join(folder, 'runs.db'))
  const journal = open()
  onTestFinished(() => journal.close())
  return journal
}

test.each([
  ['a record that is not JSON', (file: string) => damageRecord(file, 'b', 0)],
  ['a page that cannot be read', breakPage],
])('%s in one run does not stop the others from being read', async (_name, damage) => {
  const journal = await threeRuns(damage)
  const recordsOf = journal.recordsTogether(['a', 'b', 'c'])
  expect(() => recordsOf('b')).toThrow()
  for (const runId of ['a', 'c']) expect(recordsOf(runId)).toMatchObject([{ record: { text: 'the document' } }])
})

test('only runs with few and short records are read together; the others are read one by one', () => {
  const db = openState(tempFolder())
  onTestFinished(() => db.close())
  const add = db.prepare('INSERT INTO records (run_id, seq, at, data) VALUES (?, ?, 1, ?)')
  for (let seq = 0; seq < 50; seq += 1) add.run('few', seq, '{}')
  for (let seq = 0; seq < 51; seq += 1) add.run('many', seq, '{}')
  add.run('long', 0, JSON.stringify({ long: LONG }))
  const alone: string[] = []
  const one = (runId: string) => {
    alone.push(runId)
    return []
  }
  const recordsOf = createRecordsTogether(db, one)(['few', 'many', 'long'])
  expect(recordsOf('few')).toHaveLength(50)
  expect([recordsOf('many'), recordsOf('long'), alone]).toEqual([[], [], ['many', 'long']])
})

/** The first page of a long value names the next one: here one that is not in the file. */
function breakPage(file: string): void {
  const db = new DatabaseSync(file)
  const page = db
    .prepare(
      `SELECT (pageno - 1) * pgsize AS place FROM dbstat WHERE name = 'records' AND pagetype = 'overflow' LIMIT 1`,
    )
    .get()
  db.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(4, 0xff), 0, 4, Number(page?.place))
  closeSync(handle)
}
