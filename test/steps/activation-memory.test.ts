import { expect, test } from 'vitest'
import { activationMemory } from '../../src/steps/activation-memory.ts'

const sending = { segmentId: 's', matchId: '7', sent: { brand: 'B' }, state: 'sending', runId: 'r' }

test('only ids are read of what was there before a request was sent', () => {
  expect(activationMemory({ ...sending, before: ['1', 2, null, '3'] })).toEqual({ ...sending, before: ['1', '3'] })
  expect(activationMemory({ ...sending, before: 'none' })).toEqual({ ...sending, before: [] })
})

test('an entry without a match is of no match, and of no other one', () => {
  const known = { segmentId: 's', state: 'known', activationId: '1' }
  for (const own of [{}, { matchId: 7, sent: 'x' }])
    expect(activationMemory({ ...known, ...own })).toEqual({ ...known, matchId: null, sent: {} })
})

test.each([
  ['of another step type', { matchId: '7' }],
  ['without a run', { ...sending, runId: undefined }],
  ['of a state that nobody knows', { ...sending, state: 'lost' }],
  ['of a known activation without its id', { ...sending, state: 'known', runId: undefined }],
])('an entry %s says nothing', (_, entry) => {
  expect(activationMemory(entry)).toBeUndefined()
})

test.each([
  undefined,
  {},
  { segmentId: 's' },
  { segmentId: 's', state: 'known' },
  { segmentId: 's', state: 'started' },
])('%j in the step memory is no memory', (entry) => {
  expect(activationMemory(entry)).toBeUndefined()
})
