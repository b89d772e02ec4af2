import { expect, test } from 'vitest'
import { completed, type MadeThing } from '../../src/state/made-things.ts'

const THING: MadeThing = {
  ...{ kind: 'match', id: '7', job: undefined, request: undefined, name: 's', about: {} },
  ...{ pipeline: 'nightly', step: 'match', runId: 'r', at: 5, found: false },
}
const MADE = { ...THING, runId: 'maker', job: 'j', about: { partnerId: 1 } }
const FOUND = { ...THING, runId: 'finder', found: true, about: { segmentId: 's' } }

test.each<[string, readonly MadeThing[], MadeThing, string]>([
  ['made and then found is of its maker', [MADE], FOUND, 'maker'],
  ['found and then made is of its maker, too', [FOUND], MADE, 'maker'],
  ['made by two is of the first', [MADE], { ...MADE, runId: 'later' }, 'maker'],
  // A finder has no claim that a later one must respect.
  ['found by two is of the last', [FOUND], { ...FOUND, runId: 'later' }, 'later'],
])('a thing that is %s', (_, known, thing, runId) => {
  expect(completed(known, thing).runId).toBe(runId)
})

test('an entry is completed from those with the same id, job or request, and from no other', () => {
  const request = { ...THING, id: undefined, request: 'q', name: '', about: { a: 1 } }
  expect(completed([MADE, request], { ...FOUND, id: '7', name: '' })).toMatchObject({
    ...{ id: '7', job: 'j', request: 'q', name: 's', about: { a: 1, partnerId: 1, segmentId: 's' } },
  })
  for (const other of [{ id: '8' }, { job: 'other' }, { request: 'other' }])
    expect(completed([{ ...MADE, request: 'q', ...other }], { ...THING, job: 'j', request: 'q' })).toEqual({
      ...{ ...THING, job: 'j', request: 'q' },
    })
})
