import { expect, test } from 'vitest'
import type { ApiOperation } from '../../src/console/api/api-operation.ts'
import { type ApiOperationId, apiOperations } from '../../src/console/api/operations.ts'

const operations: Readonly<Record<ApiOperationId, ApiOperation>> = apiOperations

const GIVEN = {
  pipeline: 'p',
  trigger: 't',
  runId: 'r',
  step: 's',
  decision: 'again',
  key: 'k',
  name: 'n',
  reason: 'w',
}

test.each<[ApiOperationId, object, string]>([
  ['runs.start', GIVEN, 'run.start p'],
  ['runs.retry', GIVEN, 'run.retry r'],
  ['runs.acknowledge', GIVEN, 'run.acknowledge r'],
  ['runs.cancel', GIVEN, 'run.cancel r'],
  ['runs.decide', GIVEN, 'run.decide r: s again'],
  ['runs.decide', { runId: 'r', step: 's', decision: 7 }, 'run.decide r: s'],
  ['mutes.add', { pipelines: 'p' }, 'notify.mute p'],
  ['mutes.end', { pipelines: 'p' }, 'notify.unmute p'],
  ['schedules.pause', GIVEN, 'schedule.pause p/t'],
  ['schedules.resume', GIVEN, 'schedule.resume p/t'],
  ['schedules.backfill', GIVEN, 'schedule.backfill p/t'],
  ['schedules.withdraw', GIVEN, 'schedule.withdraw p/t'],
  ['files.retry', GIVEN, 'file.retry p/t: k'],
  ['files.upload', GIVEN, 'file.upload p/t: n'],
  ['uploads.add', GIVEN, 'input.upload p: n'],
  ['deployment.rollback', { commit: '4f1c' }, 'deploy.rollback 4f1c'],
  ['deployment.pause', GIVEN, 'deploy.pause deployments'],
  ['deployment.resume', GIVEN, 'deploy.resume deployments'],
  ['deployment.look', GIVEN, 'deploy.now deployments'],
  ['session.end', {}, 'console.logout console'],
  ['service.jobs.act', { jobId: 7, act: 'approve', partially: true }, 'service.job job 7: approve partially'],
  ['service.jobs.act', { jobId: 7, act: 'fail', partially: false }, 'service.job job 7: fail'],
  ['service.faults.add', { operation: 'o', status: 503, reason: 'w' }, 'service.fault o: on, status 503'],
  ['service.faults.remove', { fault: 3 }, 'service.fault fault 3: off'],
  ['service.clock.act', { act: 'freeze' }, 'service.clock clock: freeze'],
  ['service.clock.act', { act: 'advance', ms: 0 }, 'service.clock clock: advance 0 ms'],
])('%s is told as what somebody wanted', (id, given, told) => {
  const { act, subject, detail } = operations[id].audit!({ ...given })
  expect(`${act} ${subject}${detail === undefined ? '' : `: ${detail}`}`).toBe(told)
})

test('a read is no act, and every write but a plan is one', () => {
  for (const [id, { method, audit }] of Object.entries(operations))
    expect([id, audit !== undefined]).toEqual([id, method === 'POST' && id !== 'plan.make'])
})
