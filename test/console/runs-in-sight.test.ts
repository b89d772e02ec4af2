import { expect, test } from 'vitest'
import { runsInSight } from '../../src/console/server/event-streams.ts'
import type { StoredRecord } from '../../src/core/run.ts'

const record = (seq: number, type: string) => ({ seq, at: 0, record: { type } }) as unknown as StoredRecord

function setUp(all: Record<string, StoredRecord[]>) {
  const reads: string[] = []
  const sight = runsInSight({
    async records(runId, after = -1) {
      reads.push(runId)
      return (all[runId] ?? []).filter(({ seq }) => seq > after)
    },
  })
  return { sight, reads }
}

test('a run that is looked at moves with each new record, until it ends', async () => {
  const a = [record(0, 'run.submitted')]
  const { sight, reads } = setUp({ a })
  sight.add('a')
  expect(await sight.moved()).toEqual(['a'])
  expect(await sight.moved()).toEqual([])
  a.push(record(1, 'step.started'))
  sight.add('a')
  expect(await sight.moved()).toEqual(['a'])
  a.push(record(2, 'run.finished'))
  expect(await sight.moved()).toEqual(['a'])
  expect([await sight.moved(), reads.length]).toEqual([[], 4])
})

test('a run that has ended already, or that nobody knows, does not move, however often it is looked at', async () => {
  const { sight, reads } = setUp({ a: [record(0, 'run.submitted'), record(1, 'run.finished')] })
  for (const runId of ['a', 'none', 'a']) {
    sight.add(runId)
    expect([await sight.moved(), await sight.moved()]).toEqual([[], []])
  }
  expect(reads).toEqual(['a', 'none', 'a'])
})

test('of many runs, those that were looked at last are followed', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `run ${n}`)
  const { sight, reads } = setUp({})
  for (const name of names) sight.add(name)
  await sight.moved()
  expect(reads).toEqual(names.slice(10))
})
