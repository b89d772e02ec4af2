import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Place } from '../../contract/run-writer.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'
import { tries } from '../../support/tries.ts'
import { happenings, type LawStore, outcomes } from './sets.law.ts'

/**
 * In any order of ends, deaths, double checks, pauses and delays: each set gets the result of the simple model, once.
 */
function law(newPlace: () => Place<LawStore, [service: string]>, numRuns: number) {
  return fc.assert(
    fc.asyncProperty(happenings, async (script) => {
      const place = newPlace()
      try {
        const { made, meant, runs } = await outcomes(script, place)
        expect(made).toEqual(meant)
        expect(runs).toBe(meant.filter((outcome) => outcome.endsWith(' ran')).length)
      } finally {
        await place.remove()
      }
    }),
    { numRuns },
  )
}

test('the sets of ends are what a simple model says, in SQLite', () => law(sqlitePlace, tries(40, 400)))

describeWithPostgres('in PostgreSQL', () => {
  test('the sets of ends are what a simple model says', () => law(postgresPlace, tries(4, 60)))
})
