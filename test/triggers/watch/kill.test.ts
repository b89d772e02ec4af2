import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startWatcher } from '../../../src/triggers/watch/start-watcher.ts'
import { isLong } from '../../support/is-long.ts'
import { tries } from '../../support/tries.ts'
import { type Call, type Death, type Links, mortal, withoutTicket } from './mortal.ts'
import { until, type Watching, watching } from './watching.ts'

const IMMORTAL = { at: Number.POSITIVE_INFINITY, after: false }

/**
 * Names and contents: one that fails, one that is empty, two that are equal, one that is already in `done`, and one
 * with its marker.
 */
const FILES: Readonly<Record<string, string>> = {
  'a.csv': 'one\n',
  'b.csv': 'one\n',
  'c.csv': 'fails\n',
  'd.csv': '',
  'e.csv': 'two\n',
}

function dropAll(bench: Watching): void {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(bench.inbox, name), content)
  writeFileSync(join(bench.inbox, 'e.csv.done'), '')
  mkdirSync(join(bench.folder, 'done'))
  writeFileSync(join(bench.folder, 'done', 'e.csv'), 'of yesterday')
  bench.ending = ({ values }) => (values.name === 'c.csv' ? 'failed' : 'succeeded')
}

/** Watches with each death in turn, and then to the end without one. */
async function live(bench: Watching, deaths: readonly Death[], links: Links) {
  let calls: readonly Call[] = []
  for (const death of [...deaths, IMMORTAL]) {
    const life = mortal(bench, death, links)
    const watcher = startWatcher(life.deps)
    watcher.replace([bench.watch('settle: 0s')])
    await until(() => life.isDead() || isOver(bench), `an end of ${JSON.stringify(deaths)}`)
    calls = life.calls
    // It may die while it stops.
    let stopped = false
    void watcher.stop().then(() => {
      stopped = true
    })
    await until(() => stopped || life.isDead(), `a stop after ${JSON.stringify(deaths)}`)
  }
  return calls
}

function isOver(bench: Watching): boolean {
  return (
    bench.names('inbox').length === 0 && taken(bench).length === 0 && bench.occurrences().every(({ open }) => !open)
  )
}

function taken(bench: Watching): string[] {
  const folder = join(bench.inbox, '.taken', 'drops.drop')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** If nothing can be linked, all names have a ticket: `ticket`. */
function expectEachOnce(bench: Watching, ticket: string): void {
  const lying = (folder: string, all = readdirSync(join(bench.folder, folder))) =>
    all.map((name) => `${withoutTicket(name)}: ${contentOf(join(bench.folder, folder, name))}`).sort()
  const [first = '', second = ''] = ['a', 'b']
    .sort((a) => (bench.runs.some(({ firing }) => firing.values.name === `${a}.csv`) ? -1 : 1))
    .map((name) => `${name}${ticket}.csv`)
  expect(lying('done')).toEqual(
    [
      `${first}: one\n`,
      `${second}: one\n`,
      `${second}.note.txt: ...`,
      'e.csv: of yesterday',
      'e.TICKET.csv: two\n',
    ].sort(),
  )
  expect(lying('failed')).toEqual(
    ['c', 'd'].flatMap((name) => [
      `${name}${ticket}.csv.reason.txt: ...`,
      `${name}${ticket}.csv: ${FILES[`${name}.csv`]}`,
    ]),
  )
  expect(bench.runs.map(({ content }) => content).sort()).toEqual(['fails\n', 'one\n', 'two\n'])
  expect(
    bench
      .occurrences()
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['failed', 'ran', 'ran', 'ran', 'skipped'])
}

function contentOf(path: string): string {
  return path.endsWith('.txt') ? '...' : readFileSync(path, 'utf8')
}

async function killed(deaths: readonly Death[], links: Links): Promise<readonly Call[]> {
  const bench = watching()
  dropAll(bench)
  const calls = await live(bench, deaths, links)
  expectEachOnce(bench, links === 'none' ? '.TICKET' : '')
  return calls
}

/**
 * The short form leaves out calls that only read, because a death after one of them leaves the same files as a death
 * after the call before it. It also leaves out calls that were already tried on one file system.
 */
async function tried(calls: readonly Call[], links: Links): Promise<readonly Call[]> {
  if (isLong) return calls
  const before = links === 'all' ? [] : await killed([], 'all')
  return calls.filter((call) => !/^(lstat|readdir|readlink|realpath|open) /.test(call) && !before.includes(call))
}

describe.each<[string, Links]>([
  ['on the same file system', 'all'],
  ['with `done` and `failed` on another one', 'otherDisk'],
  ['on one without links', 'none'],
])('killed %s, every file is accounted for once', (_where, links) => {
  // The files before a call are the files after the previous one, so only the long form tries both.
  test.each([['after', true], ...(isLong ? [['before', false] as const] : [])] as const)(
    'just %s any call to the file system, the occurrence store or the engine',
    async (_when, after) => {
      const calls = await killed([], links)
      expect(calls.length).toBeGreaterThan(50)
      for (const at of await tried(calls, links)) await killed([{ at, after }], links)
    },
  )

  test('again and again, at random', async () => {
    const death = fc.record({ at: fc.integer({ min: 1, max: 60 }), after: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(death, { minLength: 2, maxLength: 6 }),
        async (deaths) => void (await killed(deaths, links)),
      ),
      { numRuns: tries(10, 25) },
    )
  })
})
