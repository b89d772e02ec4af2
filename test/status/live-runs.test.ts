import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRow } from '../../src/state/run-history.ts'
import { liveRuns } from '../../src/status/live-runs.ts'
import { tempFolder } from '../support/temp-folder.ts'

const at = Date.UTC(2026, 10, 22, 13, 13, 47)
const rowOf = (tail: string, ms: number, status: RunRow['status']): RunRow => ({
  ...{ runId: `20261122t131347-${tail}`, pipeline: 'nightly', profile: 'local', status, submittedAt: at + ms },
  ...{ triggerKind: 'manual', triggerLabel: '' },
})

/** The ids of the live runs. Without their records, each counts as a run that uploaded a list. */
async function liveOf(rows: readonly RunRow[]): Promise<string[]> {
  const folder = tempFolder()
  for (const { runId } of rows) mkdirSync(join(folder, 'runs', runId), { recursive: true })
  const newestFirst = rows.toSorted((a, b) => b.submittedAt - a.submittedAt)
  const live = await liveRuns(
    {
      pipelines: async () => ['nightly'],
      page: async ({ status = [] }) => ({ rows: newestFirst.filter((row) => status.includes(row.status)) }),
      find: async (runId) => rows.find((row) => row.runId === runId),
      records: async () => [],
    },
    folder,
  )
  return live.map(({ runId }) => runId.slice(-1))
}

test('within a second the time of a run says which came first, and not its id', async () => {
  expect(await liveOf([rowOf('b', 1, 'failed'), rowOf('a', 2, 'succeeded')])).toEqual(['a'])
  expect(await liveOf([rowOf('a', 2, 'failed'), rowOf('b', 1, 'succeeded')])).toEqual(['b', 'a'])
})
