import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { seededRandom } from '../../service/support/seeded-random.ts'
import { isLong } from '../is-long.ts'
import { expectNothingTwice } from './expect-nothing-twice.ts'
import type { Soak } from './soak-project.ts'

/** The number of disturbances in the short form of a soak: one of each kind. The environment can set another number. */
export const disturbancesOf = (kinds: number) => Number(process.env.SOAK_DISTURBANCES ?? kinds)
export const seed = Number(process.env.SOAK_SEED ?? (isLong ? Date.now() % 1_000_000 : 1))

/** The options of a soak. */
export interface SoakOptions {
  readonly disturbances: number
  readonly random: () => number
  readonly say: (line: string) => void
}

/** Runs a soak in a new folder and checks the result. */
export async function soak(
  liveThrough: (folder: string, options: SoakOptions) => Promise<Soak>,
  disturbances: number,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-soak-'))
  const say = isLong ? (line: string) => console.log(line) : () => undefined
  const lived = await liveThrough(folder, { disturbances, random: seededRandom(seed), say })
  try {
    const { done, decisions, project } = lived
    say(JSON.stringify({ seed, folder, ...done, decisions, started: project.started.length }))
    await expectNothingTwice(lived)
    expect(Object.values(done).reduce((sum, count) => sum + count, 0)).toBe(disturbances)
  } finally {
    await lived.close()
  }
  rmSync(folder, { recursive: true, force: true })
}
