import { expect, test } from 'vitest'
import { cancelRun, runToCancel } from '../../src/acts/cancel-run.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import type { RunRow } from '../../src/state/run-history.ts'
import { RunTakenOverError } from '../../src/state/run-store.ts'
import { openRecordedRun } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261127t010000-aaaaaaaaaa'
const ANA = { by: 'Ana', comment: 'a wrong list' }
const machine = { pid: 4711, host: 'here' }
const HERE = 'process 4711 on here'
const SAME_ID = 'process 4711 on another-host'
const ELSEWHERE = 'process 1 on another-host'

const TEXT = `version: 1
name: nightly
steps:
  - id: list
    uses: groups.list
finally:
  - id: tidy
    uses: approval.wait
    with: { message: remove it? }
`

const started = (step: string): RunRecord => ({ type: 'step.started', step, attempt: 1 })
const job = (jobId: string): RunRecord => ({ type: 'job.status', step: 'list', jobId, status: 'RUNNING', waitedMs: 0 })
const CANCELLED: RunRecord = { type: 'cancel.requested', ...ANA }
const ASKS: RunRecord = {
  ...{ type: 'step.waiting', step: 'tidy', attempt: 1, reason: 'approval' },
  error: { code: 'approval-needed', kind: 'failed', message: 'remove it?' },
}

/** An unfinished run with these records. */
const runWith = (...records: readonly RunRecord[]) => openRecordedRun(tempFolder(), { runId: RUN, text: TEXT }, records)

/** Cancels the run, while looks at its row find this in turn; the last one stays. A look takes a second. */
async function cancelled(records: readonly RunRecord[], looks: readonly Partial<RunRow>[]) {
  await using state = await runWith(...records)
  const calls: unknown[] = []
  const engine = {
    cancel: async (...given: unknown[]) => void calls.push(given),
    async resume() {
      calls.push('resume')
      if (looks[look]?.owner !== HERE) throw new RunTakenOverError(RUN)
    },
  }
  let look = 0
  const find = async (runId: string) => {
    const row = await state.runs.find(runId)
    return row && { ...row, owner: undefined, ...looks[Math.min(look++, looks.length - 1)] }
  }
  let now = 0
  const clock = {
    now: () => now,
    async sleep() {
      now += 1000
    },
  }
  const result = await cancelRun(RUN, ANA, {
    engine,
    runs: { ...state.runs, find },
    clock,
    machine,
    readPipeline,
  }).catch((error) => error)
  const [sent, ...resumed] = calls
  expect(sent).toEqual([RUN, ANA])
  return { result, resumed, seconds: now / 1000 }
}

const ENDED = { finishedAt: 9, status: 'cancelled' } as const

test.each<[string, readonly Partial<RunRow>[], object, number]>([
  ['this process works on it', [{ owner: HERE }], { state: 'here', finallySteps: new Set(['tidy']) }, 0],
  ['its owner ends it', [{ owner: ELSEWHERE }, ENDED], { state: 'ended', status: 'cancelled' }, 0],
  ['its owner has the same process id on another host', [{ owner: SAME_ID }, ENDED], { state: 'ended' }, 0],
  ['it ends in another way first', [{ ...ENDED, status: 'failed' }], { state: 'ended', status: 'failed' }, 0],
  ['nobody works on it', [{}, { owner: HERE }], { state: 'here' }, 1],
  ['its owner dies', [{ owner: ELSEWHERE }, {}, { owner: HERE }], { state: 'here' }, 1],
  ['another process takes it over', [{}, { owner: ELSEWHERE }, ENDED], { state: 'ended' }, 1],
  ['a worker will take it', [{ queuedFor: 'worker' }, ENDED], { state: 'ended' }, 0],
  [
    'its owner does nothing',
    [{ owner: ELSEWHERE }],
    { code: 'owner-silent', message: /^process 1 on another-host / },
    0,
  ],
])('a run is cancelled: %s', async (_, looks, expected, times) => {
  const { result, resumed } = await cancelled([started('list')], looks)
  const { message } = expected as { readonly message?: RegExp }
  expect(result).toMatchObject(message ? { ...expected, message: expect.stringMatching(message) } : expected)
  expect(resumed).toHaveLength(times)
})

const QUESTION = [{ runId: RUN, step: 'tidy', commands: expect.arrayContaining([`audience runs approve ${RUN} tidy`]) }]

test.each([
  ['asks a person', [CANCELLED, started('tidy'), ASKS], QUESTION, 0],
  ['takes its time', [CANCELLED, started('tidy')], [], 21],
  ['has not begun', [CANCELLED], [], 21],
])('a cancelled run cleans up: the step under `finally` %s', async (_, records, asked, seconds) => {
  const found = await cancelled([started('list'), ...records], [{ owner: ELSEWHERE }])
  expect(found.result).toMatchObject({ state: 'cleansUp', asked })
  expect(found.seconds).toBe(seconds)
})

test('what goes on without a cancelled run is the last job of each step that runs', async () => {
  await using state = await runWith(started('list'), job('6'), job('7'))
  expect(await runToCancel(RUN, state)).toMatchObject({ row: { runId: RUN }, jobs: ['7'] })
})

test.each([
  ['unknown-run', '20261127t010000-bbbbbbbbbb'],
  ['run-ended', RUN],
])('%s: there is nothing to cancel', async (code, runId) => {
  await using state = await runWith({ type: 'run.finished', status: 'failed' })
  await expect(runToCancel(runId, state)).rejects.toMatchObject({ code, kind: 'usage' })
})
