import { expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { buildOf } from '../../src/steps/segment-build.ts'
import { answeringService } from './support/answering-service.ts'
import { stepRun } from './support/step-run.ts'

const SEGMENT = {
  ...{ participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv' },
  ...{ uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 },
}
const FLAGS = { shareSegmentName: false, accessBgIds: false }
const MATCH = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'], ...FLAGS }
const ACTIVATION = { activationName: 'Autos', segmentId: 's', matchJobId: '4', refreshRate: 30, actionType: 'REQUEST' }
const segment = { id: 's', segmentName: 'Autos', participantSegmentId: 'autos' }
const match = { matchId: '7', segmentId: 's', status: 'FINISHED', deliveryScope: ['CABLE'] }
const activation = { ActivationId: '2', ActivationName: 'Autos', Status: 'Activated' } as const

function serviceOf(answers: Parameters<typeof answeringService>[1]) {
  return answeringService(
    {
      jobs: [{ id: '5', status: 'SUCCESS', segmentId: 's', matchId: '7', activationId: '2' }],
      ...{ segments: { s: segment }, matches: { 7: match }, activations: { 2: activation } },
    },
    answers,
  )
}

const builds: OperationId[] = ['segments.create', 'segments.refresh']

test.each<[OperationId, JsonObject, object]>([
  ['segments.create', SEGMENT, segment],
  ['segments.refresh', { id: 's' }, segment],
  ['segments.share', { segmentId: 's', partnerId: 5 }, segment],
  ['matches.create', MATCH, match],
  ['matches.refresh', { matchId: '7' }, match],
  ['matches.testControl', { matchId: '7', shaveOffPercent: 5 }, match],
  ['activations.create', ACTIVATION, activation],
])('%s is sent once, waited for, and read; only that of a segment is a build', async (uses, input, made) => {
  const service = serviceOf({ [uses]: { id: '5', status: 'PENDING' } })
  expect(await stepRun(uses, input, service).go()).toMatchObject({ jobId: '5', jobStatus: 'SUCCESS', ...made })
  expect(service.sent).toEqual([[uses, input]])
  expect(await buildOf({ id: 's' }, service)).toBe(builds.includes(uses) ? '5' : undefined)
  const unawaited = serviceOf({ [uses]: { id: '5', status: 'PENDING' } })
  const outputs = await stepRun(uses, input, unawaited, { await: false }).go()
  expect(outputs).toEqual({ jobId: '5', jobStatus: 'PENDING' })
})

test('a read is sent nowhere, and a delete needs no job', async () => {
  const service = serviceOf({})
  expect(await stepRun('segments.get', { id: 's' }, service).go()).toEqual(segment)
  expect(service.sent).toEqual([])
  expect(await stepRun('segments.delete', { id: 's' }, service).go()).toEqual({})
  expect(service.sent).toEqual([['segments.delete', { id: 's' }]])
})

test('jobs.wait without a wait reads the job once', async () => {
  const service = serviceOf({})
  const fields = { segmentId: 's', matchId: '7', activationId: '2' }
  for (const own of [{ await: false as const }, {}])
    expect(await stepRun('jobs.wait', { jobId: '5' }, service, own).go()).toEqual({
      ...{ jobId: '5', jobStatus: 'SUCCESS', ...fields },
    })
  expect(service.reads).toEqual(['job 5', 'job 5'])
})

test('scopes that the contract knows are not looked up', async () => {
  const service = serviceOf({ 'matches.create': { id: '5', status: 'PENDING' } })
  const run = stepRun('matches.create', MATCH, service)
  await run.go()
  expect(run.records()).toBe(4)
})
