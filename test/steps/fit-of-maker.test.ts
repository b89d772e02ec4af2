import { expect, test } from 'vitest'
import { fitOfMaker } from '../../src/steps/fit-of-maker.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const maker = (about: Record<string, string>) => madeThing({ kind: 'activation', name: 'Autos', about })
const theirs = maker({ segmentId: 's', matchJobId: 'a' })
const wanted = { segmentId: 's', matchId: null, matchJobId: 'b' }

test.each([
  ['the same match', '7', '7', 'sure'],
  ['different matches', '7', '8', 'none'],
  ['no match that is known', undefined, '8', 'possible'],
] as const)('two jobs of %s', async (_, a, b, fit) => {
  const jobs = Object.entries({ a, b }).map(([id, matchId]) => ({ id, status: 'SUCCESS' as const, matchId }))
  expect(await fitOfMaker(theirs, wanted, stillService({ jobs: jobs as never }))).toBe(fit)
})

test('a job that the service forgot is known by the match that this state made with it', async () => {
  const service = stillService({ jobs: [{ id: 'b', status: 'SUCCESS', matchId: '7' }] })
  for (const [id, job] of Object.entries({ 7: 'a', 8: 'c' }))
    await service.made.note(madeThing({ kind: 'match', name: 's', id, job }))
  expect(await fitOfMaker(theirs, wanted, service)).toBe('sure')
  expect(service.reads).toEqual(['job b'])
})

test('no job is read where the entry alone decides', async () => {
  const service = stillService({})
  expect(await fitOfMaker(undefined, wanted, service)).toBe('possible')
  expect(await fitOfMaker(maker({ segmentId: 't' }), wanted, service)).toBe('none')
  expect(await fitOfMaker(maker({ segmentId: 's', matchJobId: 'b' }), wanted, service)).toBe('sure')
  expect(await fitOfMaker(maker({ other: 's' }), wanted, service)).toBe('possible')
  expect(service.reads).toEqual([])
})

test('jobs that the service forgot prove nothing', async () => {
  expect(await fitOfMaker(theirs, wanted, stillService({}))).toBe('possible')
})

test('a job is not read where its match is known', async () => {
  const service = stillService({ jobs: [{ id: 'a', status: 'SUCCESS', matchId: '7' }] })
  expect(await fitOfMaker(theirs, { ...wanted, matchId: '7' }, service)).toBe('sure')
  expect(service.reads).toEqual(['job a'])
})

test('a target without a job is not of a match without one', async () => {
  const service = stillService({ jobs: [{ id: 'a', status: 'SUCCESS', matchId: '7' }] })
  await service.made.note(madeThing({ kind: 'match', name: 's', id: '7', found: true }))
  expect(await fitOfMaker(theirs, { segmentId: 's', matchId: null }, service)).toBe('possible')
  expect(service.reads).toEqual(['job a'])
})
