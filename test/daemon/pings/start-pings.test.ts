import { expect, onTestFinished, test } from 'vitest'
import { type PingPlan, startPings } from '../../../src/daemon/pings/start-pings.ts'
import type { RunRow } from '../../../src/state/run-history.ts'
import { heldClock } from '../../support/held-clock.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

function bench(own: Partial<PingPlan> = {}, isWell: () => Promise<boolean> = async () => true) {
  const clock = heldClock()
  const sent: string[] = []
  const changes: { sequence: number; row: RunRow }[] = []
  const ended = (runId: string, status: RunRow['status'], pipeline = 'nightly', finishedAt = clock.now()) => {
    const row = { runId, status, pipeline, profile: 'local', submittedAt: 0, triggerKind: 'schedule', triggerLabel: '' }
    const done = status === 'running' ? row : { ...row, finishedAt }
    changes.push({ sequence: changes.length + 1, row: done })
  }
  const start = () => {
    const pings = startPings(
      {
        pipelines: true,
        async send({ check, outcome, runId }) {
          sent.push([check, outcome, runId].filter(Boolean).join(' '))
          return 'done'
        },
        ...own,
      },
      {
        runs: {
          lastChange: async () => changes.length,
          async changedSince(sequence, limit) {
            const found = changes.filter((each) => each.sequence > sequence).slice(0, limit)
            return { rows: found.map(({ row }) => row), sequence: found.at(-1)?.sequence ?? sequence }
          },
        },
        pipelines: new Set(['nightly', 'drops']),
        isWell,
        clock,
        log,
      },
    )
    onTestFinished(() => pings.stop())
    return pings
  }
  return { clock, sent, ended, start }
}

test('runs that succeed or fail ping the check of their pipeline, and no others do', async () => {
  const { clock, sent, ended, start } = bench()
  start()
  await clock.pass(3000)
  ended('1', 'succeeded')
  ended('2', 'failed', 'drops')
  ended('3', 'running', 'drops')
  ended('4', 'cancelled')
  ended('5', 'failed', 'not-loaded')
  await clock.pass(3000)
  expect(sent.toSorted()).toEqual(['drops fail 2', 'nightly success 1'])
})

test('a run that changes again after its end is told once', async () => {
  const { clock, sent, ended, start } = bench()
  start()
  await clock.pass(1000)
  const at = clock.now()
  ended('1', 'succeeded')
  await clock.pass(20_000)
  ended('1', 'succeeded', 'nightly', at)
  await clock.pass(30_000)
  expect(sent).toEqual(['nightly success 1'])
})

test('a new keeper tells what ended in the minute before, and nothing older', async () => {
  const { clock, sent, ended, start } = bench()
  const first = start()
  await clock.pass(1000)
  await first.stop()
  ended('old', 'failed', 'drops')
  await clock.pass(61_000)
  ended('during the change', 'failed')
  await clock.pass(20_000)
  start()
  await clock.pass(3000)
  expect(sent).toEqual(['nightly fail during the change'])
})

test('a process that is not the keeper any more sends nothing', async () => {
  const { clock, sent, ended, start } = bench({ daemon: { check: 'prod', everyMs: 60_000 } })
  const pings = start()
  await clock.pass(61_000)
  expect(sent).toEqual(['prod success'])
  await pings.stop()
  ended('1', 'succeeded')
  await clock.pass(120_000)
  expect(sent).toEqual(['prod success'])
})

test('the daemon is pinged while it is well, and not while it is not', async () => {
  let isWell = true
  const { clock, sent, start } = bench({ daemon: { check: 'prod', everyMs: 60_000 } }, async () => isWell)
  start()
  await clock.pass(121_000)
  expect(sent).toHaveLength(2)
  isWell = false
  await clock.pass(300_000)
  expect(sent).toHaveLength(2)
  isWell = true
  await clock.pass(61_000)
  expect(sent).toHaveLength(3)
})

test('without `pipelines` runs are not told, and without `daemon` the daemon is not', async () => {
  const { clock, sent, ended, start } = bench({ pipelines: false, daemon: { check: 'prod', everyMs: 60_000 } })
  start()
  await clock.pass(1000)
  ended('1', 'failed')
  await clock.pass(61_000)
  expect(sent).toEqual(['prod success'])
})

test('a daemon that ends within a minute of each start is never pinged', async () => {
  const { clock, sent, start } = bench({ daemon: { check: 'prod', everyMs: 3_600_000 } })
  for (let restart = 0; restart < 10; restart += 1) {
    const pings = start()
    await clock.pass(50_000)
    await pings.stop()
  }
  expect(sent).toEqual([])
})
