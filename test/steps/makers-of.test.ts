import { expect, test } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import { makersOf } from '../../src/steps/makers-of.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const WHAT = { kind: 'match', name: 's' } as const
const started = (job: string) => madeThing({ ...WHAT, job })
const ended = (id: string, own: Partial<Job> = {}): Job => ({ id, status: 'SUCCESS', ...own })

test.each<[string, Job | undefined, object]>([
  ['goes on', ended('j', { status: 'RUNNING' }), { maker: undefined, underWay: 1, unnamed: 0 }],
  ['names it', ended('j', { matchId: '7' }), { maker: 'j', underWay: 0, unnamed: 0 }],
  ['names another', ended('j', { matchId: '8' }), { maker: undefined, underWay: 0, unnamed: 0 }],
  ['names only its segment', ended('j', { segmentId: '7' }), { maker: undefined, underWay: 0, unnamed: 1 }],
  ['names nothing', ended('j'), { maker: undefined, underWay: 0, unnamed: 1 }],
  ['made a part and names nothing', ended('j', { status: 'PARTIAL_SUCCESS' }), { underWay: 0, unnamed: 0 }],
  ['failed', ended('j', { status: 'FAILED' }), { maker: undefined, underWay: 0, unnamed: 0 }],
  ['is gone', undefined, { maker: undefined, underWay: 0, unnamed: 0 }],
])('a listed match, and a job of another step that %s', async (_, job, expected) => {
  const service = stillService({ jobs: job ? [job] : [] })
  await service.made.note(started('j'))
  const makers = await makersOf([{ id: '7' }], WHAT, service)
  const { underWay, unnamed } = makers
  expect({ maker: makers.of('7')?.job, underWay: underWay.length, unnamed: unnamed.length }).toMatchObject(expected)
})

test('a job may name what it made when it is read again, and is read three times', async () => {
  const service = stillService({})
  const answers = [ended('j'), ended('j'), ended('j', { matchId: '7' }), ended('j')]
  Object.assign(service.api, { jobs: { get: async () => answers.shift() } })
  await service.made.note(started('j'))
  expect((await makersOf([{ id: '7' }], WHAT, service)).of('7')).toEqual(started('j'))
  expect(answers).toHaveLength(1)
  answers.unshift(ended('j'), ended('j'))
  const { unnamed } = await makersOf([{ id: '8' }], WHAT, service)
  expect([unnamed, answers]).toEqual([[started('j')], []])
})

test('no job is read for what is known by its id, or by the job that the list shows', async () => {
  const service = stillService({})
  await service.made.note(madeThing({ ...WHAT, id: '7' }))
  for (const job of ['j', 'k']) await service.made.note(started(job))
  const makers = await makersOf([{ id: '7' }, { id: '8', job: 'j' }], WHAT, service)
  expect([makers.of('7')?.id, makers.of('8')?.job, makers.underWay]).toEqual(['7', 'j', []])
  expect(service.reads).toEqual([])
})

test('a list that shows the job of another thing does not tell who made it', async () => {
  const service = stillService({})
  for (const job of ['j', 'k']) await service.made.note(started(job))
  const makers = await makersOf([{ id: '8', job: 'k' }], WHAT, service)
  expect([makers.of('8')?.job, service.reads]).toEqual(['k', ['job j']])
})

test('where all is known by its id, nothing else is asked', async () => {
  const service = stillService({})
  await service.made.note(madeThing({ ...WHAT, id: '7' }))
  const made = { ...service.made, named: () => Promise.reject(new Error('asked')) }
  expect((await makersOf([{ id: '7' }], WHAT, { ...service, made })).of('7')?.id).toBe('7')
})

test('no job is read for an entry that has its id already', async () => {
  const service = stillService({ jobs: [ended('j')] })
  await service.made.note(madeThing({ ...WHAT, id: '8', job: 'j' }))
  const { underWay, unnamed } = await makersOf([{ id: '7' }], WHAT, service)
  expect([underWay, unnamed, service.reads]).toEqual([[], [], []])
})

test('a request that got no answer may have made what is listed, except the request of who asks', async () => {
  const service = stillService({})
  const asked = madeThing({ ...WHAT, request: 'theirs' })
  await service.made.note(asked)
  await service.made.note(madeThing({ ...WHAT, request: 'own' }))
  expect((await makersOf([{ id: '7' }], { ...WHAT, request: 'own' }, service)).unnamed).toEqual([asked])
})

test('what is listed may be of a job that is not known yet', async () => {
  const service = stillService({})
  await service.made.note({ ...started('j'), at: service.clock.now() })
  expect((await makersOf([{ id: '7' }], WHAT, service)).underWay).toMatchObject([{ job: 'j' }])
})
