import { expect, test } from 'vitest'
import type { Occurrence } from '../../src/core/occurrence.ts'
import { withoutRun } from '../../src/notifications/occurrence-notifications.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../pipeline/step-types.ts'

const text = `version: 1
name: next
triggers: [{ id: both, after: { pipelines: [a, b], within: 6h } }]
steps: [{ id: list, uses: groups.list }]
`
const { pipeline } = loadPipeline({ text, file: 'next.yaml', stepTypes })

const told = (occurrence: Pick<Occurrence, 'state' | 'reason' | 'detail'>, document = pipeline) => {
  const known = { pipeline: 'next', trigger: 'both', key: 'k', at: 9 }
  const { event, key, title, error, details, next } = withoutRun({ ...known, ...occurrence }, document) ?? {}
  return { event, key, title, error: error?.message, details, next }
}

test('people are told which run was lacking when the time of a set was over', () => {
  const detail = { runs: { a: 'r1' }, lacking: ['b'] }
  expect(told({ state: 'missed', reason: 'incomplete', detail })).toEqual({
    ...{ event: 'missed', key: 'missed/next/both/k', error: undefined },
    title: 'next did not start: a succeeded, but b did not within 6 h 00 min',
    details: ['a: run r1'],
    next: ['audience run next.yaml'],
  })
})

test('people are told of a run that ended too late', () => {
  expect(told({ state: 'missed', reason: 'late', detail: { runs: { b: 'r2' }, lacking: ['a'] } })).toMatchObject({
    ...{ event: 'late', key: 'late/next/both/k' },
    title: 'b succeeded too late for next, which is no longer waiting',
  })
})

test('people are told of a set that nothing took notice of, and of one of which no run could be made', () => {
  const detail = { runs: { a: 'r1', b: 'r2' } }
  expect(told({ state: 'missed', reason: 'down', detail })).toMatchObject({
    event: 'missed',
    title: 'next did not start after a, b',
    error: expect.stringContaining('this trigger does not catch up (missed: none)'),
  })
  expect(told({ state: 'failed', reason: 'no input', detail })).toMatchObject({
    event: 'failure',
    title: 'no run of next could be made for the ended runs of a, b',
    error: 'no input',
  })
})

test('people are told once which file of a set did not come', () => {
  const detail = { name: '0412', set: '0412', code: 'source-set-incomplete' }
  const occurrence = { pipeline: 'next', trigger: 'drop', key: 'k', at: 9, detail }
  const reason = 'b_0412.csv is missing, 4 h 00 min after the first file of the set arrived'
  expect(withoutRun({ ...occurrence, state: 'failed', reason }, pipeline)).toMatchObject({
    event: 'failure',
    title: 'no run of next could be made for the set 0412',
    error: {
      ...{ code: 'source-set-incomplete', message: reason },
      hint: 'drop all files of the set again; those that arrived are where the trigger leaves failed files',
    },
  })
})
