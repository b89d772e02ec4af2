import { expect, test } from 'vitest'
import type { MadeThing } from '../../../src/state/made-things.ts'
import { createPostgresSql } from '../../../src/state/postgres/database.ts'
import { createMadeThings } from '../../../src/state/sql/made-things.ts'

const THING: MadeThing = {
  ...{ kind: 'match', id: '7', job: 'j', request: undefined, name: 's', about: { segmentId: 's' } },
  ...{ pipeline: 'nightly', step: 'match', runId: 'r', at: 5, found: false },
}

/** A thing as its row. */
const rowOf = ({ runId, about, ...thing }: MadeThing) => ({ ...thing, run_id: runId, about: JSON.stringify(about) })

/** Records a thing in a database that has the `known` things. Returns whether it started to write. */
async function writes(thing: MadeThing, ...known: readonly MadeThing[]): Promise<boolean> {
  const answer = { rows: known.map(rowOf), changes: 0 }
  let hasBegun = false
  const sql = createPostgresSql({
    query: async () => answer,
    async transaction(work) {
      hasBegun = true
      return work(async () => answer)
    },
  })
  await createMadeThings(sql, { here: { profile: 'p', service: 'https://a.test' } }).note(thing)
  return hasBegun
}

test('a note that says what is known does not write', async () => {
  expect(await writes(THING, THING)).toBe(false)
  expect(await writes({ ...THING, job: undefined, at: 9 }, THING)).toBe(false)
})

test.each([
  ['is new', THING, []],
  ['tells more', THING, [{ ...THING, job: undefined }]],
  [
    'joins two entries',
    THING,
    [
      { ...THING, job: undefined },
      { ...THING, id: undefined },
    ],
  ],
])('a note that %s writes', async (_, thing, known) => {
  expect(await writes(thing, ...known)).toBe(true)
})
