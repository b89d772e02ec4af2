import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { openLists } from '../../src/lists/open-lists.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { tries } from '../support/tries.ts'
import { type AnyList, anyList, DAMAGE_COUNT, OTHERS, PEOPLE, spellings } from './any-list.ts'

const PLACE = { runId: 'run-1', stepKey: 'list', pipeline: 'nightly' }
const LISTS = tries(60, 10_000)
const OPT_OUTS = tries(60, 10_000)
/** Different lists each time; the name of the test has the seed. */
const SEED = Date.now() % 1_000_000_000

/** Shared, because starting a process of DuckDB takes longer than preparing a list. */
const sandboxes = new Sandboxes(LIST_LIMITS)

/** The figures of a list and its keys; the error if there is none. */
async function prepare(list: Pick<AnyList, 'content' | 'column'>, optOuts: Uint8Array) {
  const folder = tempFolder()
  const [file, suppress] = ['people', 'opt-outs'].map((name) => join(folder, name)) as [string, string]
  writeFileSync(file, list.content)
  writeFileSync(suppress, optOuts)
  const lists = openLists({ folder: join(folder, 'lists'), sources: {}, suppress: [suppress], sandboxes })
  const request = { from: { file }, column: list.column, signal: 'EMAIL' } as const
  try {
    const figures = await lists.make(request, PLACE, new AbortController().signal)
    return { figures, of: readFileSync(lists.fileOf(PLACE), 'utf8').split('\n').slice(1, -1) }
  } catch (error) {
    if (!(error instanceof AudienceError)) throw error
    return { error }
  }
}

test(`nobody is lost: every row of ${LISTS} lists with ${DAMAGE_COUNT} kinds of damage is counted, and who opted out stays (seed ${SEED})`, async () => {
  const optedOut = fc
    .subarray(['p0@x.test', 'p1@x.test', 'p2@x.test', ...PEOPLE.slice(-2)], { minLength: 1 })
    .chain((opted) => fc.tuple(fc.constant(opted), fc.tuple(...opted.map(spellings))))
  await fc.assert(
    fc.asyncProperty(anyList, optedOut, async (list, [opted, spelled]) => {
      const { figures, of, error } = await prepare(list, Buffer.from(`email\n${spelled.join('\n')}\n`))
      if (!figures) {
        // A list without people, or one that cannot be read. Without damage, there are always people unless all opted
        // out.
        const isOver = [...list.people].every((person) => opted.includes(person))
        if (list.exact && !isOver) throw new Error(`${list.description}: ${error.message}`)
        return
      }
      const { rows, keys, duplicates, empty, bad, suppressed } = figures
      const about = `${list.description}: ${JSON.stringify(figures)} ${JSON.stringify(list.rows)}`
      expect(keys + duplicates + empty + bad + suppressed, about).toBe(rows)
      expect(rows, about).toBeGreaterThanOrEqual(list.rows[0])
      expect(rows, about).toBeLessThanOrEqual(list.rows[1])
      expect(
        of.filter((key) => opted.includes(key)),
        about,
      ).toEqual([])
      expect(
        of.filter((key) => !list.everybody.has(key)),
        about,
      ).toEqual([])
      const lost = [...list.people].filter((person) => !of.includes(person) && !opted.includes(person))
      expect(lost.length, about).toBeLessThanOrEqual(bad)
      if (list.exact) {
        const known = { filled: keys + duplicates + suppressed, empty, bad }
        expect(known, about).toEqual(list.exact)
        expect(lost, about).toEqual([])
      }
    }),
    { numRuns: LISTS, seed: SEED },
  )
})

test(`nobody on ${OPT_OUTS} opt-out lists with any damage leaves, or there is no list (seed ${SEED})`, async () => {
  // One of them is in no opt-out list.
  const people = [...PEOPLE, ...OTHERS, 'stays@x.test']
  const list = { content: Buffer.from(`email\n${people.join('\n')}\n`), column: 'email' }
  await fc.assert(
    fc.asyncProperty(anyList, async (optOuts) => {
      const { of, error } = await prepare(list, optOuts.content)
      if (!of) {
        expect(error.code, optOuts.description).toBe('opt-outs-unusable')
        return
      }
      expect(
        of.filter((key) => optOuts.everybody.has(key) || optOuts.elsewhere.has(key)),
        optOuts.description,
      ).toEqual([])
    }),
    { numRuns: OPT_OUTS, seed: SEED },
  )
})
