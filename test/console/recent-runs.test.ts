import { expect, test } from 'vitest'
import { recentDocument, recentRuns } from '../../src/console/server/views/recent-runs.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import type { StoredRecord } from '../../src/core/run.ts'
import type { RunRow } from '../../src/state/run-history.ts'

/** A run with two records. It has ended unless its name begins with `open`. */
function rowOf(runId: string): RunRow {
  return {
    ...{ runId, pipeline: 'p', profile: 'local', submittedAt: 1, triggerKind: 'manual', triggerLabel: '' },
    ...(runId.startsWith('open') ? { status: 'running' } : { status: 'succeeded', finishedAt: 2 }),
  }
}

const RECORDS: readonly StoredRecord[] = [
  {
    seq: 0,
    at: 1,
    record: {
      ...{ type: 'run.submitted', pipeline: 'p', file: 'p.yaml', folder: '/', text: '', digest: '' },
      ...{ inputs: {}, trigger: {} },
    },
  },
  { seq: 1, at: 2, record: { type: 'run.finished', status: 'succeeded' } },
]

test('an ended run is read once while it is among the last ones, an open one each time', async () => {
  const removed = new Set<string>()
  const read: string[] = []
  const runs = {
    find: async (runId: string) => (removed.has(runId) ? undefined : rowOf(runId)),
    page: async () => ({ rows: [] }),
    async records(runId: string) {
      read.push(runId)
      return removed.has(runId) ? [] : RECORDS
    },
  }
  const readRecent = recentRuns(4)
  const readAll = async (...runIds: string[]) => {
    read.length = 0
    for (const runId of runIds) expect((await readRecent(runs, runId)).run.runId).toBe(runId)
    return read.join(' ')
  }
  expect(await readAll('a', 'a', 'open', 'open')).toBe('a open open')
  // Four records are kept: those of the two runs that were requested last.
  expect(await readAll('b', 'a', 'c', 'a', 'b')).toBe('b c b')
  removed.add('a')
  await expect(readRecent(runs, 'a')).rejects.toThrow('there is no run a')
})

test('the document of a run is read once while the same one is asked for', () => {
  const read: string[] = []
  const readRecent = recentDocument(({ file, text }) => {
    read.push(`${file} ${text}`)
    if (text === 'bad') throw new Error('it cannot be read')
    return { name: text } as Pipeline
  })
  expect([readRecent({ file: 'a', text: 'x' }), readRecent({ file: 'a', text: 'x' })]).toEqual([
    { name: 'x' },
    { name: 'x' },
  ])
  expect(() => readRecent({ file: 'a', text: 'bad' })).toThrow('it cannot be read')
  expect(readRecent({ file: 'a', text: 'x' }).name).toBe('x')
  expect(readRecent({ file: 'b', text: 'x' }).name).toBe('x')
  expect(read).toEqual(['a x', 'a bad', 'b x'])
})
