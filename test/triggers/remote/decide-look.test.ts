import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hintOf, type RemoteFile } from '../../../src/core/remote-source.ts'
import type { LedgerFile } from '../../../src/state/remote-ledger.ts'
import { decideLook, type Taking } from '../../../src/triggers/remote/decide-look.ts'

const SETTLE_MS = 2
const WITHIN_MS = 10
const PAIRS = { kind: 'all', patterns: ['a_*.csv', 'b_*.csv'], withinMs: WITHIN_MS } as const
const MANIFESTS = { kind: 'manifest', pattern: '*.done', withinMs: WITHIN_MS } as const

const fileOf = (name: string, size = 1): RemoteFile => ({ path: `in/${name}`, size, mtimeMs: 0 })

/** The sets of a folder in which nothing changes. */
function setsOf(names: readonly string[], waitFor: typeof PAIRS | typeof MANIFESTS) {
  const files = names.map((name) => fileOf(name))
  const first = decideLook(files, [], new Map(), { now: 0, settleMs: SETTLE_MS, waitFor })
  const { take, sets } = decideLook(files, [], first.seen, { now: SETTLE_MS, settleMs: SETTLE_MS, waitFor })
  const namesOf = (found: readonly RemoteFile[]) => found.map(({ path }) => path.slice('in/'.length)).join(' ')
  return {
    taken: take.map(({ files: its, set }) => `${set?.name}: ${namesOf(its)}`),
    missing: sets.flatMap(({ name, missing }) => (missing.length === 0 ? [] : [`${name}: ${missing.join(' ')}`])),
  }
}

test.each([
  [['b_1.csv', 'a_1.csv'], ['1: a_1.csv b_1.csv'], []],
  [['a_1.csv', 'b_2.csv'], [], ['1: b_1.csv', '2: a_2.csv']],
  [['a_.csv', 'b_.csv', 'c_1.csv', 'a_1.CSV'], [], []],
  [['a_$&.csv'], [], ['$&: b_$&.csv']],
  [['a_b_1.csv', 'b_b_1.csv'], ['b_1: a_b_1.csv b_b_1.csv'], []],
])('what * stands for pairs the files of %j', (names, taken, missing) => {
  expect(setsOf(names, PAIRS)).toEqual({ taken, missing })
})

test.each([
  [['x.done', 'x.csv', 'x.b.csv', 'xy.csv'], ['x: x.b.csv x.csv'], ['xy.csv: *.done']],
  [['x.csv.done', 'x.csv', 'x.csv.gz', 'x.txt'], ['x.csv: x.csv x.csv.gz'], ['x.txt: *.done']],
  [['x.done', 'x.y.done', 'x.y.csv', 'x.csv'], ['x.y: x.y.csv', 'x: x.csv'], []],
  [['x.done'], [], ['x: x.*']],
])('a manifest releases the files that begin with its name: %j', (names, taken, missing) => {
  const found = setsOf(names, MANIFESTS)
  expect({ ...found, taken: found.taken.toSorted() }).toEqual({ taken, missing })
})

test('a kept set is known until one of its files looks different, or another file comes', () => {
  const files = ['a_1.csv', 'b_1.csv'].map((name) => fileOf(name))
  const rules = { now: SETTLE_MS, settleMs: SETTLE_MS, waitFor: PAIRS }
  const look = (there: readonly RemoteFile[], ledger: readonly LedgerFile[]) => {
    const { seen } = decideLook(there, ledger, new Map(), { ...rules, now: 0 })
    return decideLook(there, ledger, seen, rules)
  }
  const [taking] = look(files, []).take
  if (!taking) throw new Error('the set is not taken')
  const row = rowOf(taking, 'kept')
  expect(look(files, [row])).toMatchObject({ take: [], forget: [], waiting: 0 })
  expect(look([fileOf('a_1.csv', 2), fileOf('b_1.csv')], [row])).toMatchObject({ take: [{}], forget: [row.ticket] })
  expect(look([fileOf('b_1.csv')], [row])).toMatchObject({ take: [], forget: [row.ticket], waiting: 1 })
  // A file in progress belongs to no other set.
  expect(look([fileOf('b_1.csv')], [{ ...row, state: 'open' }])).toMatchObject({ take: [], forget: [], waiting: 0 })
})

function rowOf({ path, hint, files, set }: Taking, state: LedgerFile['state']): LedgerFile {
  const members = files.map((file) => ({ path: file.path, hint: hintOf(file) }))
  const its = { name: set?.name ?? '', files: members }
  return { pipeline: 'p', trigger: 't', ticket: '1-a', source: 'partner', path, hint, set: its, state }
}

const event = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), name: fc.constantFrom('a_1', 'b_1', 'a_2', 'b_2') }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ kind: fc.constant('restart' as const) }),
)

test('whatever comes in whatever order: complete sets are taken whole, others when their time is over, each file once', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let now = 0
      let seen: ReturnType<typeof decideLook>['seen'] = new Map()
      let noted: ReadonlyMap<string, number> = new Map()
      const there = new Map<string, RemoteFile>()
      /** The model: when each file was last written, and when a file of each set was first seen. */
      const written = new Map<string, number>()
      const firstSeen = new Map<string, number>()
      const taken: number[] = []
      let versions = 0

      const look = () => {
        for (const path of there.keys()) {
          const name = path.slice('in/a_'.length, -'.csv'.length)
          if (!firstSeen.has(name)) firstSeen.set(name, now)
        }
        const rules = { now, settleMs: SETTLE_MS, waitFor: PAIRS, since: noted }
        const { take, sets, ...decided } = decideLook([...there.values()], [], seen, rules)
        seen = decided.seen
        noted = new Map(
          sets.filter(({ name }) => !take.some(({ set }) => set?.name === name)).map((set) => [set.name, set.since]),
        )
        for (const { files, set, lack } of take) {
          const name = set?.name ?? ''
          for (const { path } of files) expect(now - (written.get(path) ?? now)).toBeGreaterThanOrEqual(SETTLE_MS)
          if (lack === undefined)
            expect(files.map(({ path }) => path)).toEqual([`in/a_${name}.csv`, `in/b_${name}.csv`])
          else expect(now - (firstSeen.get(name) ?? now)).toBeGreaterThanOrEqual(WITHIN_MS)
          firstSeen.delete(name)
          for (const { path, size } of files) {
            taken.push(size)
            there.delete(path)
          }
        }
        for (const [name, first] of firstSeen) {
          const whole = ['a', 'b'].every((each) => there.has(`in/${each}_${name}.csv`))
          // Only a file that is still being written may wait longer.
          if (now - first > WITHIN_MS)
            expect(whole || [...seen.values()].some(({ since }) => now - since < SETTLE_MS)).toBe(true)
        }
      }

      for (const each of events) {
        if (each.kind === 'put') {
          const path = `in/${each.name}.csv`
          versions += 1
          there.set(path, { path, size: versions, mtimeMs: 0 })
          written.set(path, now)
        } else if (each.kind === 'pass') now += each.ms
        else seen = new Map()
        look()
      }
      const last = [...there.values()].map(({ size }) => size)
      for (let at = 0; at <= WITHIN_MS + SETTLE_MS; at += 1) {
        now += 1
        look()
      }
      expect([...there.keys()]).toEqual([])
      expect(new Set(taken).size).toBe(taken.length)
      expect(taken).toEqual(expect.arrayContaining(last))
    }),
  )
})
