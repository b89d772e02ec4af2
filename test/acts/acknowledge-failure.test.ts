import { expect, test } from 'vitest'
import { acknowledgeFailure } from '../../src/acts/acknowledge-failure.ts'
import { openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261127t010000-aaaaaaaaaa'
const ANA = { by: 'Ana', comment: 'the partner repairs it' }
const clock = { now: () => 5000 }

async function projectWith(status: 'failed' | 'succeeded' | undefined) {
  const state = openRecordedProject(tempFolder())
  await state.addRun(RUN, { at: 1, status })
  return { ...state, [Symbol.asyncDispose]: async () => state.close() }
}

test('a failure is acknowledged, and the audit log says by whom', async () => {
  await using state = await projectWith('failed')
  const row = await acknowledgeFailure(RUN, ANA, { runs: state.runs, clock })
  expect(row.acknowledged).toEqual({ ...ANA, at: 5000 })
  const [entry] = await state.audit.list({ limit: 1 })
  expect(entry).toMatchObject({ ...ANA, act: 'run.acknowledge', subject: RUN, outcome: 'done' })
})

test.each([
  ['unknown-run', 'failed', '20261127t010000-bbbbbbbbbb', ANA],
  ['comment-required', 'failed', RUN, { by: 'Ana' }],
  ['run-not-failed', 'succeeded', RUN, ANA],
  ['run-not-failed', undefined, RUN, ANA],
] as const)('%s: nothing is acknowledged in a run that is %s', async (code, status, runId, actor) => {
  await using state = await projectWith(status)
  await expect(acknowledgeFailure(runId, actor, { runs: state.runs, clock })).rejects.toMatchObject({ code })
  expect(await state.audit.list({ limit: 9 })).toEqual([])
})
