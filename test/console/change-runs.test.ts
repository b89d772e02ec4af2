import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { runHandlers } from '../../src/console/server/handlers/change-runs.ts'
import type { RunHistory } from '../../src/state/run-history.ts'

const ACTOR = { by: 'ana', role: 'approver', address: '1.2.3.4', comment: 'it is Friday' }
const CALL = { actor: ACTOR } as unknown as ApiCall
const DECISION = { runId: 'r', step: 'ask', decision: 'approved' } as const
const SUBMITTED = {
  ...{
    type: 'run.submitted',
    pipeline: 'p',
    file: 'p.yaml',
    folder: '/',
    text: '',
    digest: '',
    inputs: {},
    trigger: {},
  },
}
const ASKS = {
  ...{ type: 'step.waiting', step: 'ask', reason: 'approval' },
  error: { code: 'approval-needed', kind: 'failed', message: 'Send it?' },
}

/** A run that asks a person, in a profile. The test decides whether commands to the run are refused. */
function world(profile: string) {
  const sent: unknown[] = []
  const answer = Promise.withResolvers<void>()
  const runs = {
    find: async () => ({ runId: 'r', pipeline: 'p', profile, status: 'waiting', submittedAt: 1, triggerLabel: '' }),
    records: async () => [SUBMITTED, ASKS].map((record, seq) => ({ seq, at: 1, record })),
    send: (...message: readonly unknown[]) => {
      sent.push(message)
      return answer.promise
    },
  } as unknown as RunHistory
  const engine = {
    cancel: (...message: readonly unknown[]) => {
      sent.push(message)
      return answer.promise
    },
  }
  const deps = { state: { runs }, engine, here: { profile: 'local' } } as unknown as ConsoleDeps
  return { sent, deps, answer }
}

test.each([
  [
    'a decision',
    runHandlers['runs.decide'],
    DECISION,
    { kind: 'decide', decision: 'approved', by: 'ana', comment: 'it is Friday' },
  ],
  ['the end of a run', runHandlers['runs.cancel'], { runId: 'r' }, { by: 'ana', comment: 'it is Friday' }],
])('%s is answered when it is recorded, and not before', async (_what, handle, input, message) => {
  const { sent, deps, answer } = world('local')
  let isAnswered = false
  const answered = Promise.resolve(handle(deps, input as never, CALL)).then((result) => {
    isAnswered = true
    return result
  })
  while (sent.length === 0) await turn()
  for (let turns = 0; turns < 5; turns += 1) await turn()
  expect(isAnswered).toBe(false)
  answer.resolve()
  expect(await answered).toMatchObject({ runId: 'r' })
  expect(sent).toMatchObject([['r', message]])
})

test.each([
  ['a decision', runHandlers['runs.decide'], DECISION],
  ['the end of a run', runHandlers['runs.cancel'], { runId: 'r' }],
])('%s that the store refuses is refused', async (_what, handle, input) => {
  const { deps, answer } = world('local')
  answer.promise.catch(() => undefined)
  answer.reject(new Error('already decided'))
  await expect((async () => handle(deps, input as never, CALL))()).rejects.toThrow('already decided')
})

test.each([
  ['a decision', runHandlers['runs.decide'], DECISION],
  ['the end of a run', runHandlers['runs.cancel'], { runId: 'r' }],
])('%s of a run at another service is refused', async (_what, handle, input) => {
  const { sent, deps } = world('elsewhere')
  await expect((async () => handle(deps, input as never, CALL))()).rejects.toMatchObject({ code: 'other-service' })
  expect(sent).toEqual([])
})
