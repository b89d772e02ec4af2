import { expect, test } from 'vitest'
import { BusiestMinute } from '../../../src/rehearsal/simulation/busiest-minute.ts'

const MINUTE = 60_000

test('a request counts in the minute in which it begins, in whatever order they are over', () => {
  const minute = new BusiestMinute()
  expect(minute.busiest).toBeUndefined()
  minute.note({ operation: 'jobs.get', pipeline: 'b' }, MINUTE)
  minute.note({ operation: 'jobs.get', pipeline: 'b' }, 2 * MINUTE - 1)
  minute.note({ operation: 'files.upload', pipeline: 'a' }, MINUTE - 1)
  minute.note({ operation: 'jobs.get', pipeline: 'a' }, MINUTE / 2)
  // The first of two with the same number.
  expect(minute.busiest).toMatchObject({ at: 0, requests: 2 })
  minute.note({ operation: 'groups.list', pipeline: undefined }, 0)
  expect(minute.busiest).toEqual({
    at: 0,
    requests: 3,
    operations: { 'files.upload': 1, 'jobs.get': 1, 'groups.list': 1 },
    pipelines: { a: 2 },
  })
})

test('the busiest minute is remembered, however long ago it is', () => {
  const minute = new BusiestMinute()
  for (const at of [5, 5, 5, 200, 201, 201, 5_000]) minute.note({ operation: 'jobs.get' }, at * MINUTE)
  expect(minute.busiest).toMatchObject({ at: 5 * MINUTE, requests: 3 })
})
