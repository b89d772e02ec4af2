import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { stateRows } from '../daemon.ts'
import { recordedRuns } from '../recorded-runs.ts'
import type { Soak } from './live-through-soak.ts'

const MINUTE_MS = 60_000

/** After a soak: nothing is there twice, nothing is lost, nothing is stuck. */
export async function expectNothingTwice({ project, service, started }: Soak): Promise<void> {
  const runs = recordedRuns(project).map(({ pipeline, status, begun }) => ({
    ...{ pipeline, status },
    name: String(begun.inputs.name ?? pipeline),
  }))
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])

  const made = await service.made()
  const names = new Set(runs.map(({ name }) => name))
  const expected = [...names].sort()
  expect([...made.segments].sort()).toEqual(expected)
  expect([...made.matches].sort()).toEqual(expected)
  expect([...made.activations].sort()).toEqual(expected)

  // Every file has its run and lies in `done`; a person whose command failed has no run, and then nothing was made.
  const files = started.filter((name) => name.endsWith('.csv'))
  for (const name of files) expect(runs.filter((run) => run.name === name)).toHaveLength(1)
  const filed = readdirSync(join(project.folder, 'done')).filter((name) => name.endsWith('.csv'))
  expect(filed.sort()).toEqual(files.sort())

  const slots = stateRows(project, `SELECT at, state, run_id FROM occurrences WHERE pipeline = 'minutely' ORDER BY at`)
  expect(slots.filter(({ state }) => state !== 'ran')).toEqual([])
  const first = Number(slots[0]?.at)
  expect(slots.map(({ at }) => at)).toEqual(slots.map((_, index) => first + index * MINUTE_MS))
  expect(new Set(slots.map((slot) => slot.run_id)).size).toBe(slots.length)
  expect(runs.filter(({ pipeline }) => pipeline === 'minutely')).toHaveLength(slots.length)
}
