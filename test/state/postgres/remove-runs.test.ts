import { expect, test } from 'vitest'
import type { Database, Query } from '../../../src/state/postgres/database.ts'
import { createPostgresRunRemoval } from '../../../src/state/postgres/remove-runs.ts'

/** Removes runs while each statement takes this long. Returns how many, and the size of each batch. */
async function removed(count: number, { maxMs, eachMs = 1 }: { readonly maxMs: number; readonly eachMs?: number }) {
  let now = 0
  const asked: number[] = []
  const query: Query = async (text, values = []) => {
    if (!text.startsWith('DELETE FROM audience.runs')) return { rows: [], changes: 0 }
    now += eachMs
    const runIds = values[0] as readonly string[]
    asked.push(runIds.length)
    return { rows: runIds.map((run_id) => ({ run_id, document: 'd' })), changes: runIds.length }
  }
  const transaction: Database['transaction'] = (work) => work(query)
  const remove = createPostgresRunRemoval({ transaction } as Database, () => now)
  const runIds = Array.from({ length: count }, (_, at) => `r${at}`)
  return { removed: await remove(runIds, maxMs), asked }
}

test('runs are removed fifty at a time, until the time is over', async () => {
  expect(await removed(120, { maxMs: 1000 })).toEqual({ removed: 120, asked: [50, 50, 20] })
  expect(await removed(120, { maxMs: 2 })).toEqual({ removed: 100, asked: [50, 50] })
  expect(await removed(120, { maxMs: 0 })).toEqual({ removed: 50, asked: [50] })
  expect(await removed(0, { maxMs: 1000 })).toEqual({ removed: 0, asked: [] })
})
