import { expect, onTestFinished, test } from 'vitest'
import { runHandlers } from '../../src/console/server/handlers/change-runs.ts'
import type { RunRequest } from '../../src/core/engine.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { aroundAt } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261121t120000-aaaaaaaaaa'
const AT = Date.parse('2026-11-21T12:00:00Z')
const FILE = '/project/pipelines/p.yaml'
const document = (inputs: string, look: string) => `version: 1
name: p
inputs: { ${inputs} }
steps:
  - { id: list, uses: groups.list }
  - { id: ask, uses: approval.wait, with: { message: "May it go?" } }
  - { id: look, uses: segments.get, with: { id: "${look}" } }
`
const OLD = document('partner: { type: integer }', 'old')

/** A run of the old document whose last step failed, and today's document. */
async function failedRun(today: string, problems: readonly { file: string; messages: readonly string[] }[] = []) {
  const folder = tempFolder()
  const here = { profile: 'local', service: 'embedded:/service' }
  const state = openEmbeddedState({ folder, redact: (text) => text, ...aroundAt(() => AT), here })
  onTestFinished(() => state.close())
  const old = readPipeline({ text: OLD, file: FILE })
  const error = { code: 'not-found', kind: 'failed', message: 'there is none', step: 'look' } as const
  const records: RunRecord[] = [
    { type: 'last.noted' },
    { type: 'step.started', step: 'list', attempt: 1 },
    { type: 'step.finished', step: 'list', status: 'succeeded', outputs: {} },
    { type: 'step.started', step: 'ask', attempt: 1 },
    { type: 'step.finished', step: 'ask', status: 'succeeded', outputs: {} },
    { type: 'step.started', step: 'look', attempt: 1 },
    { type: 'step.finished', step: 'look', status: 'failed', error },
    { type: 'run.finished', status: 'failed', error },
  ]
  const submitted = { pipeline: 'p', file: FILE, folder: '/project/pipelines', text: OLD, digest: old.digest }
  const record = {
    type: 'run.submitted',
    ...submitted,
    inputs: { partner: 2005 },
    trigger: { kind: 'manual' },
  } as const
  await state.journal.submit({ runId: RUN, at: AT, record })
  await state.journal.append(
    RUN,
    records.map((each, index) => ({ seq: index + 1, at: AT, record: each })),
  )
  const asked: RunRequest[] = []
  const live = { pipeline: readPipeline({ text: today, file: FILE }), folder: '/project/pipelines', file: FILE }
  const deps = {
    ...{ state, here, clock: { now: () => AT }, random: () => 0, protect: () => undefined, readPipeline },
    ...{ gitVersionOf: async () => undefined, uploadersOf: () => [], settings: { policy: { ownEnv: [] } } },
    documents: () => new Map([['p', live]]),
    problems: () => problems,
    engine: {
      submit: async (request: RunRequest) => {
        asked.push(request)
        return { runId: request.runId, existing: false, state: 'running' }
      },
    },
  }
  const actor = { by: 'ana', role: 'operator' }
  const retry = (more: object) =>
    (runHandlers['runs.retry'] as CallableFunction)(deps, { runId: RUN, ...more }, { actor })
  return { asked, retry }
}

test('a run is retried with the document as it is now: what came before the step is kept, but an approval is asked again', async () => {
  const today = document('partner: { type: integer }, scope: { type: string, default: CABLE }', 'new')
  const { asked, retry } = await failedRun(today)
  expect(await retry({ from: 'look', document: 'today' })).toMatchObject({ state: 'running' })
  const [request] = asked
  expect(request?.pipeline.text).toBe(today)
  expect(request?.inputs).toEqual({ partner: 2005n, scope: 'CABLE' })
  expect(request?.seed?.kept.map(({ step }) => step)).toEqual(['list'])
  await retry({ from: 'look' })
  expect(asked[1]?.pipeline.text).toBe(OLD)
  expect(asked[1]?.seed?.kept.map(({ step }) => step)).toEqual(['list', 'ask'])
})

test.each([
  ['a document whose inputs are others', document('other: { type: string, default: a }', 'new'), 'unknown-input'],
  ['a document with another type of the input', document('partner: { type: date }', 'new'), 'wrong-input'],
  [
    'a document that needs more',
    document('partner: { type: integer }, more: { type: string }', 'new'),
    'missing-input',
  ],
])('%s refuses the retry', async (_, today, code) => {
  const { asked, retry } = await failedRun(today)
  await expect(retry({ from: 'look', document: 'today' })).rejects.toMatchObject({ code })
  expect(asked).toEqual([])
})

test('a broken document refuses it with its errors, and so does a step that nobody names', async () => {
  const { retry } = await failedRun(OLD, [{ file: FILE, messages: ['p.yaml:3:1: uess is not known here'] }])
  await expect(retry({ from: 'look', document: 'today' })).rejects.toMatchObject({
    code: 'invalid-document',
    message: expect.stringContaining('uess is not known here'),
  })
  await expect(retry({ document: 'today' })).rejects.toMatchObject({
    code: 'from-missing',
    fields: { from: 'is needed' },
  })
  await expect(retry({ from: 'gone', document: 'today' })).rejects.toMatchObject({ code: 'invalid-document' })
})
