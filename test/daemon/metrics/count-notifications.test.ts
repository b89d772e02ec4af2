import { expect, onTestFinished, test } from 'vitest'
import { countNotifications, type NotificationOutcome } from '../../../src/daemon/metrics/create-metrics.ts'
import { readStateFigures } from '../../../src/daemon/metrics/state-metrics.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { metricsOf } from './support/metrics-of.ts'

test('attempts are counted by what became of them, and what is left comes from the state', async () => {
  const { journal, runs, outbox, deployments, remote } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  })
  onTestFinished(() => journal.close())
  const told: [NotificationOutcome, number][] = []
  const counted = countNotifications(outbox, (...one) => told.push(one))
  const notification = (key: string) => ({
    channel: 'ops',
    notification: { key, at: 1, event: 'failure', pipeline: 'p' } as Parameters<
      typeof outbox.commitBatch
    >[0]['notifications'][number]['notification'],
  })
  const notifications = ['a', 'b', 'c'].map(notification)
  await counted.commitBatch({ events: [], notifications, checkpoints: new Map(), at: 1 })
  const [a, b, c] = (await counted.due('ops', 1, 10)).map(({ id }) => id) as [number, number, number]
  await counted.delivered([a], 2)
  await counted.failed([b, c], { error: 'refused', nextAt: 3 })
  await counted.failed([c], { error: 'refused' })
  expect(told).toEqual([
    ['delivered', 1],
    ['retried', 2],
    ['failed', 1],
  ])

  const metrics = metricsOf({ readFigures: () => readStateFigures({ runs, outbox, deployments, remote }, []) })
  for (const one of told) metrics.onNotification(...one)
  expect(await metrics.lines('audience_notification')).toEqual([
    'audience_notifications{state="pending"} 1',
    'audience_notifications{state="failed"} 1',
    'audience_notification_attempts_total{outcome="delivered"} 1',
    'audience_notification_attempts_total{outcome="retried"} 2',
    'audience_notification_attempts_total{outcome="failed"} 1',
  ])
})

test('the last success of each loaded pipeline is when its newest successful run ended', async () => {
  const { journal, runs, outbox, deployments, remote } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  })
  onTestFinished(() => journal.close())
  const submission = { file: 'n.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} }
  for (const [runId, at, status] of [
    ['r1', 1000, 'succeeded'],
    ['r2', 2000, 'succeeded'],
    ['r3', 3000, 'failed'],
  ] as const) {
    await journal.submit({ runId, at, record: { type: 'run.submitted', pipeline: 'nightly', ...submission } })
    await journal.append(runId, [{ seq: 1, at: at + 500, record: { type: 'run.finished', status } }])
  }
  const figures = await readStateFigures({ runs, outbox, deployments, remote }, ['nightly', 'weekly'])
  expect(figures.lastSuccess).toEqual(new Map([['nightly', 2500]]))
})

test('the state of the deployment is 1, and the others are 0; without a deployment there is none', async () => {
  const { journal, runs, outbox, deployments, remote } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  })
  onTestFinished(() => journal.close())
  const { lines } = metricsOf({ readFigures: () => readStateFigures({ runs, outbox, deployments, remote }, []) })
  expect(await lines('audience_deployment')).toEqual([])
  const after = await deployments.standing()
  await deployments.noteLook({ state: 'refused', since: 1, lookedAt: 2, commit: 'c'.repeat(40) }, { after })
  expect(await lines('audience_deployment')).toEqual(
    ['current', 'refused', 'unreachable', 'ref-gone', 'paused', 'rolledBack'].map(
      (state) => `audience_deployment{state="${state}"} ${state === 'refused' ? 1 : 0}`,
    ),
  )
})

test('files of sources are counted, with when the source was reached and since when it fails', async () => {
  const { journal, runs, outbox, deployments, remote } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
  })
  onTestFinished(() => journal.close())
  const drop = { pipeline: 'nightly', trigger: 'drop', source: 'partner', path: 'in/*.csv', at: 9000 }
  const problem = { code: 'source-unreachable', message: 'gone', since: 5000 }
  await remote.looked({ ...drop, reachedAt: 4000, waiting: 3, problem })
  await remote.looked({ ...drop, trigger: 'other', reachedAt: 3000, waiting: 1, problem: { ...problem, since: 4000 } })
  await remote.looked({ ...drop, trigger: 'new', source: 'lake', waiting: 0 })
  await remote.begin({ ...drop, ticket: '1-a', path: 'in/a.csv', hint: '3 1' })
  const { lines } = metricsOf({ readFigures: () => readStateFigures({ runs, outbox, deployments, remote }, []) })
  expect(await lines('audience_source')).toEqual([
    'audience_source_files{source="partner",state="waiting"} 4',
    'audience_source_files{source="partner",state="open"} 1',
    'audience_source_files{source="lake",state="waiting"} 0',
    'audience_source_files{source="lake",state="open"} 0',
    'audience_source_reached_timestamp_seconds{source="partner"} 4',
    'audience_source_failing_since_timestamp_seconds{source="partner",code="source-unreachable"} 4',
  ])
})
