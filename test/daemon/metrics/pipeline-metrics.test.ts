import { expect, test } from 'vitest'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import type { Trigger } from '../../../src/core/trigger.ts'
import { metricsOf, NO_FIGURES } from './support/metrics-of.ts'

const of = (name: string, ...kinds: Trigger['kind'][]) => ({
  name,
  triggers: kinds.map((kind) => ({ kind }) as Pipeline['triggers'][number]),
})
const succeeded = (...times: [string, number][]) => ({ ...NO_FIGURES, lastSuccess: new Map(times) })

test('the counters of a pipeline exist with 0 once it is loaded, for the kinds of its triggers', async () => {
  const { load, lines } = metricsOf()
  load([of('nightly', 'schedule'), of('drops', 'watch'), of('by-hand')], 0)
  expect(await lines('audience_runs_total')).toEqual(
    ['nightly', 'drops', 'by-hand'].flatMap((pipeline) =>
      ['succeeded', 'failed', 'cancelled'].map(
        (status) => `audience_runs_total{pipeline="${pipeline}",status="${status}"} 0`,
      ),
    ),
  )
  expect(await lines('audience_slots_total')).toEqual(
    ['ran', 'skipped', 'missed', 'failed'].map(
      (outcome) => `audience_slots_total{pipeline="nightly",outcome="${outcome}"} 0`,
    ),
  )
  expect(await lines('audience_files_total')).toEqual(
    ['ran', 'skipped', 'failed'].map((outcome) => `audience_files_total{pipeline="drops",outcome="${outcome}"} 0`),
  )
})

test('what was counted stays when a document is loaded again, and a trigger that it gets is counted from 0', async () => {
  const { load, onOccurrence, lines } = metricsOf()
  load([of('nightly', 'schedule')], 0)
  onOccurrence({ pipeline: 'nightly', kind: 'schedule', state: 'missed' })
  load([of('nightly', 'schedule', 'watch')], 1000)
  expect(await lines('audience_slots_total{pipeline="nightly",outcome="missed"}')).toHaveLength(1)
  expect(await lines('audience_slots_total{pipeline="nightly",outcome="missed"} 1')).toHaveLength(1)
  expect(await lines('audience_files_total')).toHaveLength(3)
})

test('a pipeline shows since when it is loaded, and a change of its document is not a new load', async () => {
  const { load, lines } = metricsOf()
  const loaded = 'audience_pipeline_loaded_timestamp_seconds'
  load([of('a'), of('b')], 5000)
  load([of('a'), of('c')], 9000)
  expect(await lines(loaded)).toEqual([`${loaded}{pipeline="a"} 5`, `${loaded}{pipeline="c"} 9`])
  // The counters of `b` still have the old values, so a rule must not count them as new.
  load([of('b')], 12_000)
  expect(await lines(loaded)).toEqual([`${loaded}{pipeline="b"} 5`])
})

test('only pipelines that are loaded show their newest success', async () => {
  const { load, lines } = metricsOf({ readFigures: async () => succeeded(['a', 7000], ['gone', 8000]) })
  load([of('a'), of('never')], 5000)
  const last = 'audience_pipeline_last_success_timestamp_seconds'
  expect(await lines(last)).toEqual([`${last}{pipeline="a"} 7`])
})

test('of the pipelines without a label of their own, the worst shows', async () => {
  let figures = succeeded(['p2000', 9_000_000], ['p2001', 8_000_000], ['p2002', 9_500_000])
  const { load, lines } = metricsOf({ readFigures: async () => figures })
  load(
    Array.from({ length: 2003 }, (_, index) => of(`p${index}`)),
    5_000_000,
  )
  const other = async (name: string) =>
    (await lines(`audience_pipeline_${name}_timestamp_seconds{pipeline="other"}`))[0]
  expect(await other('loaded')).toMatch(/ 5000$/)
  expect(await other('last_success')).toMatch(/ 8000$/)
  // A pipeline that never succeeded counts from the time it was loaded, as in the rule.
  figures = succeeded(['p2000', 9_000_000], ['p2001', 8_000_000])
  expect(await other('last_success')).toMatch(/ 5000$/)
})

test('a failure of a pipeline that was loaded after others is counted by its own name', async () => {
  const { load, onEvent, lines } = metricsOf()
  load([of('a')], 0)
  load([of('a'), of('late')], 1000)
  const at = '2026-11-21T02:00:00.000Z'
  onEvent({ at, runId: '1', event: 'run.started', pipeline: 'late', file: 'l.yaml', digest: '', steps: [] })
  onEvent({ at, runId: '1', event: 'run.finished', status: 'failed', outputs: {}, durationMs: 1 })
  expect(await lines('audience_runs_total{pipeline="late",status="failed"}')).toEqual([
    'audience_runs_total{pipeline="late",status="failed"} 1',
  ])
})
