import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Soak } from './soak-project.ts'

const MINUTE_MS = 60_000

/** After a soak: nothing exists twice, nothing is lost, nothing is stuck. */
export async function expectNothingTwice({ project, state, service }: Soak): Promise<void> {
  const runs = await state.runs()
  const others = runs.filter(({ status }) => status !== 'succeeded')
  const why = await Promise.all(others.map(async (run) => ({ ...run, records: await state.records(run.runId) })))
  expect(others, JSON.stringify(why, undefined, 1)).toEqual([])

  const made = await service.made()
  const names = new Set(runs.map(({ name }) => name))
  const expected = [...names].sort()
  expect([...made.segments].sort()).toEqual(expected)
  expect([...made.matches].sort()).toEqual(expected)
  expect([...made.activations].sort()).toEqual(expected)

  // Every file has its run and is in `done`. A command that failed has no run and made nothing.
  const files = project.started.filter((name) => name.endsWith('.csv'))
  for (const name of files) expect(runs.filter((run) => run.name === name)).toHaveLength(1)
  const filed = readdirSync(join(project.folder, 'done')).filter((name) => name.endsWith('.csv'))
  expect(filed.sort()).toEqual(files.sort())

  const slots = await state.slots('minutely')
  expect(slots.filter((slot) => slot.state !== 'ran')).toEqual([])
  const first = slots[0]?.at ?? 0
  expect(slots.map(({ at }) => at)).toEqual(slots.map((_, index) => first + index * MINUTE_MS))
  expect(new Set(slots.map(({ runId }) => runId)).size).toBe(slots.length)
  expect(runs.filter(({ pipeline }) => pipeline === 'minutely')).toHaveLength(slots.length)
}
