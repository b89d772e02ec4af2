import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Firing } from '../../src/core/fire.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { createFire } from '../../src/daemon/fire-trigger.ts'
import { createEngine } from '../../src/engine/embedded/create-engine.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { testStepTypes } from '../support/pipelines.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** 2026-03-08, 07:00 in UTC. */
const AT = Date.UTC(2026, 2, 8, 7)

/** The state and engine of a daemon, and documents with triggers. Steps end when `finish` is called. */
function setUp() {
  const folder = tempFolder()
  const {
    journal,
    runs,
    occurrences: occurrenceStore,
  } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const finished = Promise.withResolvers<void>()
  const read = ({ text, file }: { text: string; file: string }) => {
    const { pipeline, diagnostics } = loadPipeline({ text, file, stepTypes: testStepTypes })
    if (!pipeline) throw new Error(JSON.stringify(diagnostics))
    return pipeline
  }
  const engine = createEngine({
    journal,
    clock: systemClock,
    random: Math.random,
    stepTypes: testStepTypes,
    runStep: async (_name, { signal }) => {
      await Promise.race([finished.promise, new Promise((_, reject) => signal.addEventListener('abort', reject))])
      return {}
    },
    readPipeline: read,
    env: {},
  })
  onTestFinished(async () => {
    await engine.stop(1000)
    journal.close()
  })
  const protect = vi.fn()
  const deps = {
    ...{
      engine,
      occurrenceStore,
      protect,
      clock: systemClock,
      random: Math.random,
      exists: existsSync,
      checkFile: () => {},
    },
    gitVersionOf: async ({ name }: Pipeline) => ({ commit: `c0ffee of ${name}`, dirty: true }),
    ...{ uploads: join(folder, 'uploads'), uploadersOf: () => [] },
    log: pino({ level: 'silent' }),
  }
  const submissionOf = (runId: string | undefined) => journal.records(runId ?? '')[0]?.record
  return {
    ...{ folder, journal, runs, occurrenceStore, engine, protect, deps, submissionOf },
    fire: createFire(deps),
    finish: finished.resolve,
    document: (text: string, file = 'p.yaml') => read({ text, file: join(folder, file) }),
  }
}

const WAITS = 'steps: [{ id: a, uses: work }]'
const scheduled = (keys = '', top = '') => `version: 1
name: p
${top}
triggers:
  - id: nightly
    schedule: { cron: "0 2 * * *"${keys} }
${WAITS}
`
const watched = (inputs: string, top: string) => `version: 1
name: p
${top}
triggers:
  - id: drop
    watch: { path: in, pattern: "*.csv", done: done, failed: failed }
    inputs: ${inputs}
${WAITS}
`

const firing = (pipeline: Pipeline, own: Partial<Firing> = {}): Firing => {
  const { at = AT } = own
  return { pipeline, trigger: pipeline.triggers[0]!, key: new Date(at).toISOString(), at, values: {}, ...own }
}

describe('a run that a trigger starts', () => {
  test('is recorded with what started it, its inputs and its commit, and is accounted for', async () => {
    const { fire, document, journal, submissionOf, folder, protect } = setUp()
    const pipeline = document(
      `version: 1
name: p
inputs: { count: { type: integer }, slot: { type: string }, day: { type: date }, note: { type: string, default: none } }
concurrency: { group: "p-\${{ inputs.count }}" }
triggers:
  - id: nightly
    schedule: { cron: "0 2 * * *" }
    if: \${{ trigger['size'] > 3 }}
    inputs: { count: "\${{ trigger['size'] }}", slot: "\${{ trigger.at }}", day: "\${{ today() }}" }
${WAITS}
`,
    )
    const occurrence = await fire(firing(pipeline, { values: { size: 9007199254740993n } }))
    expect(occurrence).toMatchObject({
      ...{ pipeline: 'p', trigger: 'nightly', key: '2026-03-08T07:00:00.000Z', at: AT, state: 'ran' },
    })
    expect(journal.find(occurrence.runId!)).toMatchObject({ pipeline: 'p', status: 'running' })
    expect(submissionOf(occurrence.runId)).toMatchObject({
      folder,
      digest: pipeline.digest,
      inputs: {
        count: 9007199254740993n,
        slot: '2026-03-08T07:00:00.000Z',
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        note: 'none',
      },
      trigger: { kind: 'schedule', id: 'nightly', at: '2026-03-08T07:00:00.000Z', size: 9007199254740993n },
      git: { commit: 'c0ffee of p', dirty: true },
    })
    expect(protect).toHaveBeenCalledWith(pipeline)
  })

  test('gets files relative to its document', async () => {
    const { fire, document, folder, submissionOf } = setUp()
    writeFileSync(join(folder, 'a.csv'), 'x')
    const pipeline = document(watched('{ file: "${{ trigger.name }}" }', 'inputs: { file: { type: file } }'))
    const { runId } = await fire(firing(pipeline, { values: { name: 'a.csv' } }))
    expect(submissionOf(runId)).toMatchObject({ inputs: { file: join(folder, 'a.csv') } })
  })

  test('is one, however often and however fast it is asked for', async () => {
    const { fire, document, runs } = setUp()
    const slot = firing(document(scheduled(', overlap: allow')))
    const [first, ...others] = await Promise.all([fire(slot), fire(slot), fire(slot)])
    expect([...others, await fire(slot)]).toEqual([first, first, first])
    expect((await runs.page({ limit: 9 })).rows.map(({ runId }) => runId)).toEqual([first?.runId])
  })

  test('keeps what the occurrence store knew of the occurrence', async () => {
    const { fire, document, occurrenceStore } = setUp()
    const pipeline = document(watched('{}', ''))
    const file = { key: 'f', at: AT, detail: { path: 'in/a.csv' }, open: true } as const
    await occurrenceStore.note({ pipeline: 'p', trigger: 'drop' }, { occurrences: [{ ...file, state: 'due' }] })
    expect(await fire(firing(pipeline, file))).toMatchObject({ ...file, state: 'ran' })
  })
})

describe('no run is made', () => {
  test.each<[string, string, string, JsonObject, string]>([
    [
      'of a value of the wrong type',
      '{ count: "${{ trigger.size }}" }',
      'inputs: { count: { type: integer } }',
      { size: 'many' },
      'failed: the input count must be an integer (p.yaml:5:5)',
    ],
    [
      'of a value that is not there',
      '{ count: "${{ trigger.size }}" }',
      'inputs: { count: { type: integer } }',
      {},
      'failed: ${{ trigger.size }}: the field size is not there (p.yaml:7:27)',
    ],
    [
      'of a file that has gone',
      '{ file: "${{ trigger.file }}" }',
      'inputs: { file: { type: file } }',
      { file: 'gone.csv' },
      'failed: the file gone.csv of the input file is not there, or is a folder: looked for gone.csv (p.yaml:3:11)',
    ],
    [
      'in a group without a name',
      '{}',
      'concurrency: { group: "${{ trigger.name }}" }',
      { name: 7 },
      'failed: concurrency.group of the pipeline p does not evaluate to a text for this run (p.yaml:5:5)',
    ],
  ])('%s', async (_name, inputs, top, values, expected) => {
    const { fire, document, folder, runs } = setUp()
    const { state, reason } = await fire(firing(document(watched(inputs, top)), { values }))
    expect(`${state}: ${reason}`.replaceAll(`${folder}/`, '')).toBe(expected)
    expect((await runs.page({ limit: 9 })).rows).toEqual([])
  })

  test('where the condition does not hold; that is settled then', async () => {
    const { fire, document, occurrenceStore } = setUp()
    const pipeline = document(scheduled().replace('- id: nightly', '- id: nightly\n    if: ${{ trigger["wanted"] }}'))
    const skipped = await fire(firing(pipeline, { values: { wanted: false } }))
    expect(skipped).toMatchObject({ state: 'skipped', reason: 'condition' })
    expect(await fire(firing(pipeline, { values: { wanted: true } }))).toEqual(skipped)
    expect(await occurrenceStore.list({ limit: 9 })).toEqual([{ ...skipped, outcome: 'skipped' }])
  })

  test('where the state cannot be written; the occurrence stays due', async () => {
    const { deps, document, occurrenceStore } = setUp()
    const submit = () => Promise.reject(new Error('the disk is full'))
    const slot = firing(document(scheduled()))
    await occurrenceStore.note({ pipeline: 'p', trigger: 'nightly' }, { occurrences: [{ ...slot, state: 'due' }] })
    await expect(createFire({ ...deps, engine: { submit } })(slot)).rejects.toThrow('the disk is full')
    expect(await occurrenceStore.due({ pipeline: 'p', trigger: 'nightly' }, 9)).toHaveLength(1)
  })
})

describe('a slot whose earlier run has not ended', () => {
  test.each([
    ['skip', 'skipped: overlap', 'running'],
    ['queue', 'ran: queued', 'running'],
    ['allow', 'ran: running', 'running'],
    ['cancelRunning', 'ran: queued', 'cancelled'],
  ])('with overlap %s', async (overlap, expected, earlier) => {
    const { fire, document, journal } = setUp()
    const pipeline = document(scheduled(`, overlap: ${overlap}`))
    const first = await fire(firing(pipeline))
    const { state, reason, runId } = await fire(firing(pipeline, { at: AT + 1 }))
    expect(`${state}: ${reason ?? journal.find(runId!)?.status}`).toBe(expected)
    await expect.poll(() => journal.find(first.runId!)?.status).toBe(earlier)
  })

  test('runs once the earlier one has ended', async () => {
    const { fire, document, journal, finish } = setUp()
    const pipeline = document(scheduled())
    const first = await fire(firing(pipeline))
    finish()
    await expect.poll(() => journal.find(first.runId!)?.status).toBe('succeeded')
    expect(await fire(firing(pipeline, { at: AT + 1 }))).toMatchObject({ state: 'ran' })
  })

  test('is told from a busy group of the document', async () => {
    const { fire, document } = setUp()
    const pipeline = document(scheduled(', overlap: allow', 'concurrency: { group: g, onConflict: skip }'))
    const first = await fire(firing(pipeline))
    expect(await fire(firing(pipeline, { at: AT + 1 }))).toMatchObject({
      state: 'skipped',
      reason: `group g is busy with run ${first.runId}`,
    })
  })
})
