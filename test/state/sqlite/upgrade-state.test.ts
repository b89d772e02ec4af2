import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { STATE_VERSION } from '../../../src/state/sqlite/open-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const STORED = join(import.meta.dirname, '../../fixtures/state')
const INTERRUPTED = '20260102t000000-bbbbbbbbbb'

test.each([1, 2])('a state of version %i keeps its runs, and what was interrupted is resumed', async (version) => {
  const folder = tempFolder()
  const old = new DatabaseSync(join(folder, 'runs.db'))
  old.exec(readFileSync(join(STORED, `version-${version}.sql`), 'utf8'))
  const { text } = pipeline([step('a'), step('b', { needs: ['a'] })])
  const submission = { type: 'run.submitted', pipeline: 'test', file: 'test.yaml', folder: '/', text, digest: '' }
  const records = [
    { ...submission, inputs: {}, trigger: {} },
    { type: 'step.started', step: 'a', attempt: 1 },
    { type: 'step.finished', step: 'a', status: 'succeeded', outputs: { by: 'the old one' } },
  ]
  const insert = old.prepare('INSERT INTO records VALUES (?, ?, ?, ?)')
  for (const [seq, record] of records.entries()) insert.run(INTERRUPTED, seq, 1767312000000, JSON.stringify(record))
  old.close()

  const {
    journal,
    runs,
    occurrences: triggers,
    outbox,
  } = openEmbeddedState({ folder, redact: (same) => same, ...around })
  const done: string[] = []
  const engine = createEngine({
    journal,
    clock: systemClock,
    random: Math.random,
    stepTypes: testStepTypes,
    runStep: async (_name, { stepId }) => {
      done.push(stepId)
      return {}
    },
    readPipeline: readTestPipeline,
    env: {},
  })
  expect((await runs.page({ limit: 9 })).rows.map(({ status, profile }) => [status, profile])).toEqual([
    ['running', 'local'],
    ['succeeded', 'local'],
  ])
  expect([await triggers.memories(), await outbox.counts()]).toEqual([[], { pending: 0, failed: 0 }])
  engine.start()
  await expect.poll(() => journal.find(INTERRUPTED)?.status).toBe('succeeded')
  expect(done).toEqual(['b'])
  await engine.stop(1000)
  journal.close()
  const upgraded = new DatabaseSync(join(folder, 'runs.db'), { readOnly: true })
  expect(upgraded.prepare('PRAGMA user_version').get()).toEqual({ user_version: STATE_VERSION })
  upgraded.close()
})

test.each([1, 2])('what a rerun of version %i kept by step is kept, to the last digit', (version) => {
  const folder = tempFolder()
  const old = new DatabaseSync(join(folder, 'runs.db'))
  old.exec(readFileSync(join(STORED, `version-${version}.sql`), 'utf8'))
  const seed = '{"runId":"r0","steps":{"a":{"by":"é\\"","id":9007199254740993},"b":[{"n":1}]}}'
  const insert = old.prepare('INSERT INTO records VALUES (?, 0, 0, ?)')
  insert.run('seeded', `{"type":"run.submitted","seed":${seed}}`)
  insert.run('plain', '{"type":"run.submitted"}')
  old.close()

  const { journal } = openEmbeddedState({ folder, redact: (same) => same, ...around })
  const outputs = { by: 'é"', id: 9007199254740993n }
  const kept = [
    { step: 'a', from: 'r0', outputs },
    { step: 'b', from: 'r0', outputs: [{ n: 1 }] },
  ]
  expect(journal.records('seeded')[0]?.record).toEqual({ type: 'run.submitted', seed: { runId: 'r0', kept } })
  expect(journal.records('plain')[0]?.record).toEqual({ type: 'run.submitted' })
  journal.close()
})
