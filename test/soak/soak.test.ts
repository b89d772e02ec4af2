import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import { isLong } from '../support/is-long.ts'
import { expectNothingTwice } from '../support/soak/expect-nothing-twice.ts'
import { liveThroughSoak } from '../support/soak/live-through-soak.ts'
import { liveThroughWorkers } from '../support/soak/live-through-workers.ts'
import { hasPostgres } from '../support/start-postgres.ts'

/*
 * The real command and the real service, killed, paused beyond their lease, out of disk and without answers at random
 * moments: with the state in a folder, and with several workers over one PostgreSQL. The short form is part of every test
 * run; `npm run soak` does 200 disturbances, or as many as SOAK_DISTURBANCES says, with a seed that it prints and that
 * SOAK_SEED repeats.
 */
const disturbances = Number(process.env.SOAK_DISTURBANCES ?? 8)
const seed = Number(process.env.SOAK_SEED ?? (isLong ? Date.now() % 1_000_000 : 1))
const options = { timeout: 300_000 + disturbances * 15_000 }

test(`nothing is done twice and nothing is lost in ${disturbances} disturbances (seed ${seed})`, options, () =>
  soak(liveThroughSoak),
)

test.skipIf(!hasPostgres())(
  `nothing is done twice and nothing is lost in ${disturbances} disturbances of several workers (seed ${seed})`,
  options,
  () => soak(liveThroughWorkers),
)

async function soak(liveThrough: typeof liveThroughSoak): Promise<void> {
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
