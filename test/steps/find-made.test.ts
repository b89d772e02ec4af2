import { expect, test } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import type { Match } from '../../src/contract/matches.ts'
import { type OperationId, operationOf } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { findMade, namedIn } from '../../src/steps/find-made.ts'
import { madeForMatch } from '../../src/steps/made-for.ts'
import type { StartedJob } from '../../src/steps/started-job.ts'
import { freeClaims } from './support/free-claims.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const MATCH = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const ACTIVATION = { activationName: 'Autos', segmentId: 's', matchJobId: 'm' }
const match = (own: Partial<Match> = {}): Match => ({
  ...{ matchId: '5', segmentId: 's', status: 'FINISHED', deliveryScope: ['CABLE'] },
  ...own,
})
const ended: Job = { id: '5', status: 'SUCCESS' }

/** The result for a job that does not say what it made. */
async function found(
  start: Pick<StartedJob, 'operation' | 'input'> & Partial<StartedJob>,
  job: Job,
  service: ReturnType<typeof stillService>,
) {
  const { job: rule } = operationOf(start.operation)
  if (!rule) throw new Error(`${start.operation} starts no job`)
  const { signal } = service
  const context = {
    once: (_: string, effect: (signal: AbortSignal) => unknown) => effect(signal),
    wait: (_: string, begin: (wait: object) => unknown) => begin({ signal, report: () => undefined }),
    assertOwned: () => undefined,
    signal,
  }
  const services = { ...service, claims: freeClaims }
  return findMade(start as StartedJob, rule, job, { context, services } as never)
}

const create = { operation: 'matches.create', input: MATCH } as const

test('the new match with the number of its job is what it made', async () => {
  expect(await found(create, ended, stillService({ matches: { 5: match() } }))).toBe('5')
})

test.each([
  ['it was there before', { ...create, before: { ids: ['5'] } }, match()],
  ['it is of another segment', create, match({ segmentId: 't' })],
  ['it is none', create, undefined],
  ['the job made an activation', { operation: 'activations.create', input: ACTIVATION } as const, match()],
])('the match with the number of the job is not what it made if %s', async (_, start, shows) => {
  const service = stillService({ matches: shows ? { 5: shows } : {} })
  await expect(found(start, ended, service)).rejects.toMatchObject({ code: 'job-without-id' })
})

test('it is also if another step has found it meanwhile', async () => {
  const service = stillService({ matches: { 5: match() } })
  await service.made.note(madeThing({ ...madeForMatch(MATCH), id: '5', found: true }))
  expect(await found(create, ended, service)).toBe('5')
})

test('the match with the number of the job is not what it made if another step made it', async () => {
  const service = stillService({ matches: { 5: match() } })
  await service.made.note(madeThing({ ...madeForMatch(MATCH), id: '5', job: '4' }))
  await expect(found(create, ended, service)).rejects.toMatchObject({ code: 'job-without-id' })
})

test('no match is read by the name of a job that is no number', async () => {
  const service = stillService({ matches: { 'job-5': match() } })
  await expect(found(create, { ...ended, id: 'job-5' }, service)).rejects.toMatchObject({ code: 'job-without-id' })
  expect(service.reads).toEqual([])
})

test('a job that ended otherwise made nothing, and nothing is read', async () => {
  const service = stillService({ matches: { 5: match() } })
  expect(await found(create, { ...ended, status: 'PARTIAL_SUCCESS' }, service)).toBeUndefined()
  expect(service.reads).toEqual([])
})

test('what a look for it shows is what it made', async () => {
  const look = async () => ({ state: 'done', answer: { matchId: '8' } }) as const
  expect(await found({ ...create, look }, ended, stillService({}))).toBe('8')
})

test('a look that does not tell is for a person', async () => {
  const look = async () => ({ state: 'ambiguous', why: 'there are two' }) as const
  await expect(found({ ...create, look }, ended, stillService({}))).rejects.toMatchObject({ reason: 'decision' })
})

test.each<[OperationId, JsonObject, string | undefined]>([
  ['segments.refresh', { id: 's' }, 's'],
  ['segments.share', { segmentId: 's', partnerId: 5 }, 's'],
  ['matches.refresh', { matchId: '7' }, '7'],
  // The match belongs to this segment, and the job says its name.
  ['matches.create', MATCH, undefined],
  ['activations.create', { ...ACTIVATION, id: 'a' }, undefined],
  ['segments.refresh', { id: 7 }, undefined],
])('%s of %j changes what it names', (operation, input, named) => {
  const { job: rule } = operationOf(operation)
  expect(rule && namedIn({ operation, input, answer: {} }, rule)).toBe(named)
})

test.each([
  ['says only which job it was', { state: 'done', answer: { id: '5' } }],
  ['shows nothing', { state: 'notVisible' }],
] as const)('a look that %s finds no match', async (_, finding) => {
  const end = found({ ...create, look: async () => finding }, ended, stillService({}))
  await expect(end).rejects.toMatchObject({ code: 'job-without-id' })
})
