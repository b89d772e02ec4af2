import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createChildRuns } from '../../src/app/create-child-runs.ts'
import type { StepEngine } from '../../src/app/state-of-steps.ts'
import type { RunRequest } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { RunRecord, Seed } from '../../src/core/run.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { RunTakenOverError } from '../../src/state/run-store.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CHILD = `version: 1
name: child
inputs: { name: { type: string } }
steps:
  - { id: one, uses: groups.list }
  - { id: two, uses: groups.list }
`

const oneDone: RunRecord = { type: 'step.finished', step: 'one', status: 'succeeded', outputs: { groups: [] } }
const ended: RunRecord = { type: 'run.finished', status: 'failed' }

/**
 * A parent that repeats a run. The step `call` of that run had started the run `before`, with these inputs and records.
 * The engine is open when `opening` resolves.
 */
async function parentOf(
  before: { readonly inputs: JsonObject; readonly records: readonly RunRecord[] } | undefined,
  opening = Promise.resolve(),
) {
  const folder = tempFolder()
  const file = join(folder, 'child.yaml')
  writeFileSync(file, CHILD)
  const { journal, runs } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  onTestFinished(() => journal.close())
  const add = async (
    runId: string,
    own: { file?: string; inputs?: JsonObject; seed?: Seed },
    records: readonly RunRecord[] = [],
  ) => {
    const record = {
      type: 'run.submitted',
      pipeline: runId,
      file: '',
      folder,
      text: '',
      digest: '',
      inputs: {},
      trigger: {},
      ...own,
    } as const
    await journal.submit({ runId, at: 0, record })
    await journal.append(
      runId,
      records.map((next, index) => ({ seq: index + 1, at: 0, record: next })),
    )
  }
  if (before) await add('before', { file, inputs: before.inputs }, before.records)
  await add('parent', { seed: { runId: 'r0', kept: [{ step: 'call', from: 'r0', child: 'before' }] } })
  const submitted: RunRequest[] = []
  let asked = 0
  const engine: Pick<StepEngine, 'submit' | 'resume' | 'events'> = {
    // Another worker was faster.
    resume: (runId) => Promise.reject(new RunTakenOverError(runId)),
    async *events(runId) {
      asked += 1
      // The run was in this process, and now leaves it.
      if (asked === 1) throw new RunTakenOverError(runId)
      yield { event: 'run.finished', runId, at: '', status: 'succeeded', outputs: { by: 'another' }, durationMs: 0 }
    },
    submit: async (request) => {
      submitted.push(request)
      return { runId: 'new', existing: false, state: 'running' }
    },
  }
  const childRuns = createChildRuns({
    engine: opening.then(() => engine as StepEngine),
    runs,
    clock: systemClock,
    random: Math.random,
    readPipeline,
    gitVersionOf: async () => undefined,
    uploadersOf: () => [],
    checkFile: () => undefined,
  })
  const submit = (stepKey: string) =>
    childRuns.submit({ parent: 'parent', stepKey, attempt: 1, file, inputs: { name: 'x' } })
  return { submit, end: childRuns.end, seeds: () => submitted.map(({ seed }) => seed) }
}

const kept = { runId: 'before', kept: [{ step: 'one', from: 'before', outputs: { groups: [] } }] }

test.each<[says: string, inputs: JsonObject, records: readonly RunRecord[], runId: string, seeds: readonly unknown[]]>([
  ['begins with what succeeded in the run that failed', { name: 'x' }, [oneDone, ended], 'new', [kept]],
  ['is the run itself where that has not ended', { name: 'x' }, [oneDone], 'before', []],
  ['begins afresh for other inputs', { name: 'y' }, [oneDone, ended], 'new', [undefined]],
])('the child run of a retry %s', async (_says, inputs, records, runId, seeds) => {
  const parent = await parentOf({ inputs, records })
  expect(await parent.submit('call')).toBe(runId)
  expect(parent.seeds()).toEqual(seeds)
})

test('the child run of another step begins afresh', async () => {
  const parent = await parentOf({ inputs: { name: 'x' }, records: [oneDone, ended] })
  expect(await parent.submit('call[0]')).toBe('new')
  expect(parent.seeds()).toEqual([undefined])
})

test('a child run that was removed is not guessed at: nothing is started', async () => {
  const parent = await parentOf(undefined)
  await expect(parent.submit('call')).rejects.toMatchObject({
    code: 'unknown-run',
    hint: expect.stringContaining('--from call'),
  })
  expect(parent.seeds()).toEqual([])
})

test('a step that runs before the engine is open waits for it', async () => {
  const opening = Promise.withResolvers<void>()
  const parent = await parentOf({ inputs: { name: 'x' }, records: [oneDone, ended] }, opening.promise)
  const submitting = parent.submit('call')
  expect(parent.seeds()).toEqual([])
  opening.resolve()
  expect(await submitting).toBe('new')
})

test('a child run that another process works on is waited for there', async () => {
  const parent = await parentOf({ inputs: {}, records: [] })
  expect(await parent.end('new', new AbortController().signal)).toMatchObject({
    ...{ status: 'succeeded', outputs: { by: 'another' } },
  })
})
