import { expect, test } from 'vitest'
import type { RunEvent } from '../../../src/core/run-event.ts'
import { METRICS } from '../../../src/daemon/metrics/definitions.ts'
import type { StateFigures } from '../../../src/daemon/metrics/state-metrics.ts'
import { metricsOf } from './support/metrics-of.ts'

const FIGURES: StateFigures = {
  runs: { queued: 1, running: 2, waiting: 3 },
  notifications: { pending: 6, failed: 0 },
  lastSuccess: new Map([['nightly', 1_700_000_000_500]]),
  sources: [
    {
      pipeline: 'nightly',
      trigger: 'drop',
      source: 'partner',
      path: '*',
      at: 2,
      reachedAt: 1,
      waiting: 1,
      open: 1,
      problem: { code: 'source-unreachable', message: '', since: 2 },
    },
  ],
}

const metrics = (own: Parameters<typeof metricsOf>[0] = {}) =>
  metricsOf({
    load: () => ({ runs: 4, waits: 5 }),
    unattended: () => 6,
    documents: () => ({ live: 7, problems: 1 }),
    readFigures: async () => FIGURES,
    ...own,
  })

const NIGHTLY = [{ name: 'nightly', triggers: [] }]
const at = '2026-11-21T02:00:00.000Z'
const started = (runId: string, pipeline = 'nightly') =>
  ({ at, runId, event: 'run.started', pipeline, file: 'n.yaml', digest: '', steps: [] }) satisfies RunEvent
const finished = (runId: string, status: 'succeeded' | 'failed' = 'succeeded') =>
  ({ at, runId, event: 'run.finished', status, outputs: {}, durationMs: 90_000 }) satisfies RunEvent
const stepStarted = (runId: string, step: string, uses: string) =>
  ({ at, runId, event: 'step.started', step, uses, attempt: 1 }) satisfies RunEvent
const stepFinished = (runId: string, step: string) =>
  ({ at, runId, event: 'step.finished', step, status: 'succeeded', durationMs: 1 }) satisfies RunEvent

test('runs are counted as they begin and end, by pipeline, with their durations', async () => {
  const { onEvent, lines } = metrics()
  for (const event of [started('1'), started('2'), finished('1'), finished('2', 'failed')]) onEvent(event)
  expect(await lines('audience_runs_started_total')).toEqual(['audience_runs_started_total{pipeline="nightly"} 2'])
  expect(await lines('audience_runs_total')).toEqual([
    'audience_runs_total{pipeline="nightly",status="succeeded"} 1',
    'audience_runs_total{pipeline="nightly",status="failed"} 1',
  ])
  expect(await lines('audience_run_duration_seconds')).toEqual([
    'audience_run_duration_seconds_sum{status="succeeded"} 90',
    'audience_run_duration_seconds_count{status="succeeded"} 1',
    'audience_run_duration_seconds_sum{status="failed"} 90',
    'audience_run_duration_seconds_count{status="failed"} 1',
  ])
})

test('a run that goes on after it was put aside has begun once', async () => {
  const { onEvent, lines } = metrics()
  onEvent(started('1'))
  onEvent(started('1'))
  expect(await lines('audience_runs_started_total')).toEqual(['audience_runs_started_total{pipeline="nightly"} 1'])
})

test('steps are counted by type and status', async () => {
  const { onEvent, lines } = metrics()
  onEvent(started('1'))
  onEvent(stepStarted('1', 'upload', 'files.upload'))
  onEvent({
    at,
    runId: '1',
    event: 'step.retry',
    step: 'upload',
    attempt: 2,
    retryAt: at,
    error: { code: 'x', kind: 'failed', message: '' },
  })
  onEvent(stepFinished('1', 'upload'))
  expect(await lines('audience_step')).toEqual([
    'audience_steps_total{type="files.upload",status="succeeded"} 1',
    'audience_step_retries_total{type="files.upload"} 1',
  ])
})

test('a run that began elsewhere gets its labels from the state; an unknown run gets the label unknown', async () => {
  const { onEvent, lines } = metrics({
    lookUp: async (runId) => (runId === 'old' ? { pipeline: 'weekly', stepType: () => 'matches.create' } : undefined),
  })
  for (const runId of ['old', 'none']) {
    onEvent(stepFinished(runId, 'match'))
    onEvent(finished(runId))
  }
  expect(await lines('audience_runs_total')).toEqual([
    'audience_runs_total{pipeline="weekly",status="succeeded"} 1',
    'audience_runs_total{pipeline="unknown",status="succeeded"} 1',
  ])
  expect(await lines('audience_steps_total')).toEqual([
    'audience_steps_total{type="matches.create",status="succeeded"} 1',
    'audience_steps_total{type="unknown",status="succeeded"} 1',
  ])
})

test('slots and files are counted by outcome; only slots that ran are late', async () => {
  const { onOccurrence, lines } = metrics()
  const nightly = { pipeline: 'nightly' }
  onOccurrence({ ...nightly, kind: 'schedule', state: 'ran', latenessMs: 250 })
  onOccurrence({ ...nightly, kind: 'schedule', state: 'skipped' })
  onOccurrence({ ...nightly, kind: 'schedule', state: 'missed', latenessMs: 86_400_000 })
  onOccurrence({ ...nightly, kind: 'schedule', state: 'due' })
  onOccurrence({ ...nightly, kind: 'watch', state: 'ran' })
  expect(await lines('audience_slots_total')).toEqual([
    'audience_slots_total{pipeline="nightly",outcome="ran"} 1',
    'audience_slots_total{pipeline="nightly",outcome="skipped"} 1',
    'audience_slots_total{pipeline="nightly",outcome="missed"} 1',
  ])
  expect(await lines('audience_slot_lateness_seconds')).toEqual([
    'audience_slot_lateness_seconds_sum 0.25',
    'audience_slot_lateness_seconds_count 1',
  ])
  expect(await lines('audience_files_total')).toEqual(['audience_files_total{pipeline="nightly",outcome="ran"} 1'])
})

test('requests to the service are counted by operation and outcome', async () => {
  const { onExchange, lines } = metrics()
  onExchange({ operation: 'jobs.get', outcome: 'done', durationMs: 20 })
  onExchange({ operation: 'jobs.get', outcome: 'unknown', code: 'connection-lost', durationMs: 480 })
  expect(await lines('audience_service_request')).toEqual([
    'audience_service_requests_total{operation="jobs.get",outcome="done"} 1',
    'audience_service_requests_total{operation="jobs.get",outcome="unknown"} 1',
    'audience_service_request_duration_seconds_sum{operation="jobs.get"} 0.5',
    'audience_service_request_duration_seconds_count{operation="jobs.get"} 2',
  ])
})

test('what is so now is read at every scrape, and what is gone is gone', async () => {
  let figures = FIGURES
  const { load, lines } = metrics({ readFigures: async () => figures })
  load(NIGHTLY, 0)
  expect(await lines('audience_runs{')).toEqual([
    'audience_runs{state="queued"} 1',
    'audience_runs{state="running"} 2',
    'audience_runs{state="waiting"} 3',
  ])
  expect(await lines('audience_pipeline_last')).toEqual([
    'audience_pipeline_last_success_timestamp_seconds{pipeline="nightly"} 1700000000.5',
  ])
  expect([
    ...(await lines('audience_waits')),
    ...(await lines('audience_runs_worked_on')),
    ...(await lines('audience_runs_unattended')),
  ]).toEqual(['audience_waits 5', 'audience_runs_worked_on 4', 'audience_runs_unattended 6'])
  figures = { ...FIGURES, lastSuccess: new Map() }
  expect(await lines('audience_pipeline_last')).toEqual([])
})

test('a state that cannot be read is said so, and old figures are not told as new', async () => {
  let broken = false
  const { load, lines } = metrics({
    async readFigures() {
      if (broken) throw new Error('disk I/O error')
      return FIGURES
    },
  })
  load(NIGHTLY, 0)
  expect(await lines('audience_state_readable')).toEqual(['audience_state_readable 1'])
  expect(await lines('audience_pipeline_last')).toHaveLength(1)
  broken = true
  expect(await lines('audience_state_readable')).toEqual(['audience_state_readable 0'])
  for (const name of ['audience_runs{', 'audience_notifications{', 'audience_pipeline_last'])
    expect(await lines(name)).toEqual([])
  expect(await lines('audience_waits')).toEqual(['audience_waits 5'])
  expect(await lines('process_resident_memory_bytes')).toHaveLength(1)
})

test('names of pipelines are bounded: what comes after the 2,000th is counted together', async () => {
  const { onEvent, lines } = metrics()
  for (let index = 0; index < 2100; index += 1) onEvent(started(String(index), `p${index}`))
  const counted = await lines('audience_runs_started_total')
  expect(counted).toHaveLength(2001)
  expect(counted.find((line) => line.includes('other'))).toBe('audience_runs_started_total{pipeline="other"} 100')
})

test('two sets of metrics know nothing of each other', async () => {
  const one = metrics()
  const other = metrics()
  one.onEvent(started('1'))
  expect(await other.lines('audience_runs_started_total')).toEqual([])
})

test('the documents that are acted on and those to be put right are told', async () => {
  expect(await metrics().lines('audience_pipeline')).toEqual(['audience_pipelines 7', 'audience_pipeline_problems 1'])
})

test('every metric has a definition, and every definition a metric', async () => {
  const families = [...(await metrics().text()).matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name, type]) => [name, type])
  expect(families.toSorted()).toEqual(
    Object.entries(METRICS)
      .map(([name, { type }]) => [name, type])
      .toSorted(),
  )
})
