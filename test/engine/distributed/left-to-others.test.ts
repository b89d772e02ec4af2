import { expect, test } from 'vitest'
import type { StoredRecord } from '../../../src/core/run.ts'
import { UnreadableInputs } from '../../../src/engine/distributed/unreadable-inputs.ts'
import { pipeline, step } from '../../support/pipelines.ts'

const document = pipeline([step('a')])
const submission = {
  type: 'run.submitted',
  pipeline: 'test',
  file: 'a.yaml',
  folder: '/',
  digest: '',
  text: document.text,
  inputs: {},
  trigger: {},
} as const
const SUBMITTED: StoredRecord = { seq: 0, at: 0, record: submission }
const BEGUN: StoredRecord = { seq: 1, at: 0, record: { type: 'step.started', step: 'a', attempt: 1 } }

/** Asks this many times whether a run is left to others. */
function asking(path: string | undefined = '/there/list.csv') {
  const told: string[] = []
  const asked: unknown[] = []
  const files = {
    path,
    unreadable: async (...values: unknown[]) => {
      asked.push(values)
      return files.path
    },
    onLeft: (runId: string, where: string) => void told.push(`${runId} ${where}`),
  }
  const inputs = new UnreadableInputs(files)
  const ask = (runId: string, records = [SUBMITTED]) =>
    inputs.areForOthers(runId, { records, pipeline: document, submission })
  return { ask, told, files, asked }
}

test('a run whose file is not here is left to others twenty times, told once, and stays then', async () => {
  const { ask, told, asked } = asking()
  for (let times = 0; times < 20; times += 1) expect(await ask('r')).toBe(true)
  expect(await ask('r')).toBe(false)
  expect(told).toEqual(['r /there/list.csv'])
  expect(asked[0]).toEqual([document, submission])
  // The run comes once more, as after a failure, and the count starts again.
  expect(await ask('r')).toBe(true)
  expect(told).toHaveLength(2)
})

test('a run whose file is here, or that has begun, is for this process', async () => {
  const { ask, told, files, asked } = asking()
  expect(await ask('r', [SUBMITTED, BEGUN])).toBe(false)
  expect(asked).toEqual([])
  expect(await ask('r')).toBe(true)
  Object.assign(files, { path: undefined })
  expect(await ask('r')).toBe(false)
  Object.assign(files, { path: '/gone' })
  for (let times = 0; times < 20; times += 1) expect(await ask('r')).toBe(true)
  expect(told).toEqual(['r /there/list.csv', 'r /gone'])
})

test('a process that takes all runs looks at no files', async () => {
  const run = { records: [SUBMITTED], pipeline: document, submission }
  expect(await new UnreadableInputs(undefined).areForOthers('r', run)).toBe(false)
})

test('of ten thousand runs that were left, the oldest is forgotten first', async () => {
  const { ask, told } = asking()
  await ask('first')
  for (let runs = 1; runs < 10_000; runs += 1) await ask(`r${runs}`)
  await ask('first')
  expect(told).toHaveLength(10_000)
  await ask('one-more')
  await ask('first')
  expect(told.slice(10_000)).toEqual(['one-more /there/list.csv', 'first /there/list.csv'])
})
