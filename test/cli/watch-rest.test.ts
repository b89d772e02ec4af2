import { expect, onTestFinished, test } from 'vitest'
import type { OpenWait } from '../../src/cli/views/event-sink.ts'
import { watchRest } from '../../src/cli/watch-rest.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { aroundAt } from '../support/around.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261121t120000-aaaaaaaaaa'
const TEXT = `version: 1
name: nightly
steps:
  - { id: match, uses: segments.refresh, with: { id: s1 } }
  - { id: beside, uses: groups.list, needs: [] }
`
const START = Date.parse('2026-11-21T12:00:00Z')

/** A run whose records are written one by one. */
async function recordedRun(runId = RUN, opened?: ReturnType<typeof openEmbeddedState>) {
  const folder = tempFolder()
  const state = opened ?? openEmbeddedState({ folder, redact: (text) => text, ...aroundAt(() => START) })
  if (!opened) onTestFinished(() => state.close())
  const document = { pipeline: 'nightly', file: 'nightly.yaml', folder, text: TEXT, digest: '' }
  const record = { type: 'run.submitted', ...document, inputs: {}, trigger: { kind: 'manual' } } as const
  await state.journal.submit({ runId, at: START, record })
  let seq = 0
  return {
    state,
    runs: state.runs,
    append: (...records: readonly RunRecord[]) =>
      state.journal.append(
        runId,
        records.map((each) => {
          seq += 1
          return { seq, at: START, record: each }
        }),
      ),
  }
}

test('a job that a partner has to approve is waited for as long as asked, and not while another step works', async () => {
  const { runs, append } = await recordedRun()
  const job = (status: string) => ({ step: 'match', jobId: '7', status, waitedMs: 0, counterpart: 'partner 2005' })
  const start = (step: string) => ({ type: 'step.started', step, attempt: 1 }) as const
  await append({ type: 'last.noted' }, start('match'), start('beside'))
  await append({ type: 'job.status', ...job('PENDING_APPROVAL') })
  const asked: { readonly ms: number; readonly wake: () => void }[] = []
  let now = START
  const clock = {
    now: () => now,
    sleep: (ms: number) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      asked.push({ ms, wake: resolve })
      return promise
    },
  }
  let left: readonly OpenWait[] | undefined
  const leave = (waits: readonly OpenWait[]) => {
    left = waits
  }
  const rest = watchRest(RUN, { waitMs: 300_000, runs, clock, leave })
  onTestFinished(() => rest.stop())
  const base = { at: new Date(START).toISOString(), runId: RUN }
  rest.event({ ...base, event: 'step.started', step: 'match', uses: 'segments.refresh', attempt: 1 })
  rest.event({ ...base, event: 'job.status', ...job('PENDING_APPROVAL') })
  // The records contain the parallel step, whose event has not arrived yet, so the command looks again soon.
  await expect.poll(() => asked.map(({ ms }) => ms)).toEqual([1000])
  rest.event({ ...base, event: 'step.started', step: 'beside', uses: 'groups.list', attempt: 1 })

  await append({ type: 'step.finished', step: 'beside', status: 'succeeded', outputs: {} })
  rest.event({ ...base, event: 'step.finished', step: 'beside', status: 'succeeded', durationMs: 1 })
  await expect.poll(() => asked.map(({ ms }) => ms)).toEqual([1000, 300_000])
  expect(left).toBeUndefined()
  now += 300_000
  for (const { wake } of asked) wake()
  const since = new Date(START).toISOString()
  await expect
    .poll(() => left)
    .toEqual([
      { runId: RUN, step: 'match', reason: 'partner', since, jobId: '7', counterpart: 'partner 2005', commands: [] },
    ])
})

test('a step that waits for a step of another run rests once that one waits for a partner or a person', async () => {
  const OTHER = '20261121t110000-bbbbbbbbbb'
  const { state, runs, append } = await recordedRun()
  const other = await recordedRun(OTHER, state)
  const blocked = { thing: 'match of segment s1', by: { runId: OTHER, step: 'match' } }
  await append({ type: 'last.noted' }, { type: 'step.started', step: 'match', attempt: 1 })
  await append({ type: 'step.blocked', step: 'match', ...blocked })
  await append({ type: 'step.started', step: 'beside', attempt: 1 })
  await append({ type: 'step.finished', step: 'beside', status: 'succeeded', outputs: {} })
  await other.append({ type: 'step.started', step: 'match', attempt: 1 })
  const asked: { readonly ms: number; readonly wake: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((resolve) => asked.push({ ms, wake: resolve }))
  let left: readonly OpenWait[] | undefined
  const leave = (waits: readonly OpenWait[]) => {
    left = waits
  }
  const rest = watchRest(RUN, { waitMs: 0, runs, clock: { now: () => START, sleep }, leave })
  onTestFinished(() => rest.stop())
  rest.event({ at: new Date(START).toISOString(), runId: RUN, event: 'step.blocked', step: 'match', ...blocked })
  // The other run is active, and nobody knows for how long.
  for (const ms of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    await expect.poll(() => asked.at(-1)?.ms).toBe(ms)
    asked.pop()?.wake()
  }
  const job = { step: 'match', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart: 'partner 2005' }
  await other.append({ type: 'job.status', ...job })
  await expect.poll(() => asked.length).toBe(1)
  asked.pop()?.wake()
  await expect
    .poll(() => left)
    .toMatchObject([{ runId: OTHER, step: 'match', reason: 'partner', jobId: '7', counterpart: 'partner 2005' }])
})
