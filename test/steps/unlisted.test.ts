import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Job } from '../../src/contract/job.ts'
import type { MadeThing } from '../../src/state/made-things.ts'
import { unlisted } from '../../src/steps/unlisted.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const WHAT = { kind: 'activation', name: 'Autos' } as const
const entry = (own: Partial<MadeThing>) => madeThing({ ...WHAT, ...own })
const ended = (id: string, own: Partial<Job> = {}): Job => ({ id, status: 'SUCCESS', ...own })
const notFound = new ApiError(
  { operation: 'activations.get', method: 'GET', path: '/' },
  { code: 'not-found', outcome: 'rejected', status: 404 },
)

interface Look {
  readonly jobs: readonly Job[]
  /** The things that can be read by their id, and for each the time from which it can be read, in milliseconds. */
  readonly there: Readonly<Record<string, number>>
  readonly listed: readonly string[]
}

/** Looks for the wanted thing, after these entries were recorded. */
async function find(
  entries: readonly Partial<MadeThing>[],
  { jobs = [], there = {}, listed = [] }: Partial<Look> = {},
) {
  const service = stillService({ jobs })
  for (const one of entries) await service.made.note(entry(one))
  const reads: string[] = []
  const startedAt = service.clock.now()
  const read = async ({ id }: { readonly id: string }) => {
    reads.push(id)
    const fromMs = there[id]
    if (fromMs === undefined || service.clock.now() - startedAt < fromMs) throw notFound
    return id
  }
  const found = await unlisted({ ...WHAT, listed }, ({ pipeline }) => pipeline !== 'unwanted', read, service)
  return { ...found, reads }
}

const JUST_NOW = Date.UTC(2026, 0, 31)

test.each<[string, Partial<MadeThing>[], Partial<Look>, object]>([
  ['is there', [{ id: '7' }], { there: { 7: 0 } }, { state: 'there', thing: '7' }],
  ['is gone', [{ id: '7' }], {}, { state: 'none', reads: ['7'] }],
  ['is listed', [{ id: '7' }], { there: { 7: 0 }, listed: ['7'] }, { state: 'none', reads: [] }],
  ['is not wanted', [{ id: '7', pipeline: 'unwanted' }], { there: { 7: 0 } }, { state: 'none', reads: [] }],
  [
    'is gone, and an older one is there',
    [{ id: '7' }, { id: '8', at: 1 }],
    { there: { 7: 0 } },
    { state: 'there', thing: '7', reads: ['8', '7'] },
  ],
  ['shows after a while', [{ id: '7', at: JUST_NOW }], { there: { 7: 20_000 } }, { state: 'there', thing: '7' }],
  ['was made long ago and does not show', [{ id: '7' }], { there: { 7: 20_000 } }, { state: 'none' }],
])('the one that this state made %s', async (_, entries, look, expected) => {
  expect(await find(entries, look)).toMatchObject(expected)
})

test.each<[string, Job | undefined, Record<string, number>, object]>([
  ['goes on', ended('j', { status: 'RUNNING' }), {}, { state: 'underWay', jobId: 'j' }],
  ['names it', ended('j', { activationId: '7' }), { 7: 0 }, { state: 'there', thing: '7' }],
  ['names one that shows after a while', ended('j', { activationId: '7' }), { 7: 20_000 }, { state: 'there' }],
  ['names one that does not show', ended('j', { activationId: '7' }), {}, { state: 'none' }],
  ['does not name it', ended('j'), {}, { state: 'unknown', maker: { job: 'j' } }],
  ['failed', ended('j', { status: 'FAILED' }), {}, { state: 'none' }],
  ['is gone', undefined, {}, { state: 'none' }],
])('the job of the wanted one %s', async (_, job, there, expected) => {
  expect(await find([{ job: 'j' }], { jobs: job ? [job] : [], there })).toMatchObject(expected)
})

test('a request that got no answer may have made it, unless one was made later', async () => {
  const asked = { request: 'r' }
  expect(await find([asked])).toMatchObject({ state: 'unknown', maker: asked })
  expect(await find([asked, { id: '7', at: 1 }])).toMatchObject({ state: 'none' })
  expect(await find([{ id: '7' }, asked])).toMatchObject({ state: 'unknown' })
  expect(await find([{ id: '7' }, asked], { there: { 7: 0 } })).toMatchObject({ state: 'there' })
})

test('a job that is not known yet is under way', async () => {
  expect(await find([{ job: 'j', at: JUST_NOW }])).toMatchObject({ state: 'underWay', jobId: 'j' })
})

test('what is there is taken, although another one is being made', async () => {
  const jobs = [ended('j', { status: 'RUNNING' })]
  expect(await find([{ id: '7' }, { job: 'j', at: 1 }], { jobs, there: { 7: 0 } })).toMatchObject({ state: 'there' })
})

test('a read that fails says nothing', async () => {
  const service = stillService({})
  await service.made.note(entry({ id: '7' }))
  const away = new Error('away')
  await expect(
    unlisted(
      { ...WHAT, listed: [] },
      () => true,
      () => Promise.reject(away),
      service,
    ),
  ).rejects.toBe(away)
})
