import { expect, test } from 'vitest'
import { keptFrom, retryOf, retryWithToday } from '../../src/acts/retry-run.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { openRecordedRun } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261127t010000-aaaaaaaaaa'
const FILE = '/p/nightly.yaml'
const TEXT = `version: 1
name: nightly
inputs:
  size: { type: integer, default: 1 }
steps:
  - id: list
    uses: groups.list
  - id: release
    uses: approval.wait
    with: { message: release it? }
  - id: tell
    uses: groups.list
`
const read = (text: string) => readPipeline({ file: FILE, text })
const OTHER = TEXT.replace('release it?', 'really?')

/** A run in which all steps but the last succeeded. */
async function failedRun({ hasEnded = true } = {}) {
  const steps = ['list', 'release'].flatMap((step) => [
    { type: 'step.started', step, attempt: 1 } as const,
    { type: 'step.finished', step, status: 'succeeded', outputs: {} } as const,
  ])
  const records = [...steps, ...(hasEnded ? [{ type: 'run.finished', status: 'failed' } as const] : [])]
  const submitted = { digest: read(TEXT).digest, inputs: { size: 2 }, trigger: { kind: 'manual' } }
  return openRecordedRun(tempFolder(), { runId: RUN, text: TEXT, ...submitted }, records)
}

const todayOf = (text: string, problems?: readonly string[]) => () => ({
  ...{ pipeline: read(text), folder: '/p', checkFile: () => {}, problems },
})
const stepsOf = (seed: { readonly kept: readonly { readonly step: string }[] } | undefined) =>
  seed?.kept.map(({ step }) => step)

test.each([
  ['keeps approvals', TEXT, ['list', 'release']],
  ['asks again, because it is another one', OTHER, ['list']],
])('a retry with the current document %s', async (_, text, kept) => {
  await using at = await failedRun()
  const { wanted } = await retryWithToday({ runId: RUN, from: 'tell' }, { runs: at.runs, today: todayOf(text) })
  expect(stepsOf(wanted.seed)).toEqual(kept)
  expect(wanted.inputs).toEqual({ size: 2n })
})

test.each([
  ['its inputs', TEXT, { size: 2 }, ['list', 'release']],
  ['other inputs', TEXT, { size: 3 }, ['list']],
  ['another document', OTHER, { size: 2 }, ['list']],
])('what a run with %s keeps from an earlier run', async (_, text, inputs, kept) => {
  await using at = await failedRun()
  const asked = { pipeline: read(text), inputs }
  const { seed } = await keptFrom({ runId: RUN, from: 'tell' }, asked, { runs: at.runs, here: undefined })
  expect(stepsOf(seed)).toEqual(kept)
})

test('a run keeps nothing from a run of another service', async () => {
  await using at = await failedRun()
  const here = { profile: 'production', service: 'https://audience.example.com' }
  const asked = { pipeline: read(TEXT), inputs: { size: 2 } }
  const kept = keptFrom({ runId: RUN, from: 'tell' }, asked, { runs: at.runs, here })
  await expect(kept).rejects.toMatchObject({ code: 'other-service' })
})

test.each([
  ['from-missing', undefined, TEXT, undefined],
  ['invalid-document', 'tell', TEXT, ['a key is missing']],
  ['unknown-input', 'tell', TEXT.replace('size:', 'length:'), undefined],
  ['unknown-step', 'telll', TEXT, undefined],
])('%s: no retry with the current document', async (code, from, text, problems) => {
  await using at = await failedRun()
  const retry = retryWithToday({ runId: RUN, from }, { runs: at.runs, today: todayOf(text, problems) })
  await expect(retry).rejects.toMatchObject({ code })
})

test.each([
  ['all that failed is repeated once', undefined, `retry/${RUN}`, ['list', 'release']],
  ['a step that a person names is repeated each time', 'release', undefined, ['list']],
])('a retry with the recorded document: %s', async (_, from, dedupeKey, kept) => {
  await using at = await failedRun()
  const { wanted } = await retryOf({ runId: RUN, from }, { runs: at.runs, readPipeline })
  expect(wanted.dedupeKey).toBe(dedupeKey)
  expect(stepsOf(wanted.seed)).toEqual(kept)
})

test('only an ended run is retried', async () => {
  await using at = await failedRun({ hasEnded: false })
  const retry = retryOf({ runId: RUN }, { runs: at.runs, readPipeline })
  await expect(retry).rejects.toMatchObject({ code: 'run-not-ended' })
})
