import { expect, test } from 'vitest'
import { decideSettled } from '../../../src/triggers/watch/decide-settled.ts'
import type { FoundFile } from '../../../src/triggers/watch/find-files.ts'

const A: FoundFile = { name: 'a', size: 1, mtimeMs: 50, ino: 7, isMarked: false }
const SETTLE_MS = 100

interface Look {
  readonly at: number
  readonly found: readonly FoundFile[]
  readonly settled: readonly string[]
  readonly nextAt?: number
}

test.each<[string, readonly Look[]]>([
  [
    'a file that stays as it is settles after the time, counted from the first look at it',
    [
      { at: 1000, found: [A], settled: [], nextAt: 1100 },
      { at: 1099, found: [A], settled: [], nextAt: 1100 },
      { at: 1100, found: [A], settled: ['a'] },
    ],
  ],
  [
    'growing, being written and being replaced each begin the time again',
    [
      { at: 1000, found: [A], settled: [], nextAt: 1100 },
      { at: 1050, found: [{ ...A, size: 2 }], settled: [], nextAt: 1150 },
      { at: 1100, found: [{ ...A, size: 2, mtimeMs: 51 }], settled: [], nextAt: 1200 },
      { at: 1150, found: [{ ...A, size: 2, mtimeMs: 51, ino: 8 }], settled: [], nextAt: 1250 },
    ],
  ],
  [
    'a file that went away and comes again begins again',
    [
      { at: 1000, found: [A], settled: [], nextAt: 1100 },
      { at: 1050, found: [], settled: [] },
      { at: 1100, found: [A], settled: [], nextAt: 1200 },
    ],
  ],
  ['its marker settles it at once', [{ at: 1000, found: [{ ...A, isMarked: true }], settled: ['a'] }]],
  [
    'the oldest file is first, then the names decide; the next look is when the first of the others settles',
    [
      {
        at: 1000,
        found: [{ ...A, name: 'z', mtimeMs: 9 }, A, { ...A, name: 'b', mtimeMs: 9 }],
        settled: [],
        nextAt: 1100,
      },
      {
        at: 1100,
        found: [{ ...A, name: 'z', mtimeMs: 9 }, A, { ...A, name: 'b', mtimeMs: 9 }, { ...A, name: 'new' }],
        settled: ['b', 'z', 'a'],
        nextAt: 1200,
      },
    ],
  ],
  [
    'a clock that is put back does not make files wait for the time it lost',
    [
      { at: 9000, found: [A], settled: [], nextAt: 9100 },
      { at: 1000, found: [A], settled: [], nextAt: 1100 },
      { at: 1100, found: [A], settled: ['a'] },
    ],
  ],
])('%s', (_what, looks) => {
  let seen = decideSettled([], new Map(), { now: 0, settleMs: SETTLE_MS }).seen
  for (const { at, found, settled, nextAt } of looks) {
    const decided = decideSettled(found, seen, { now: at, settleMs: SETTLE_MS })
    expect({ settled: decided.settled.map(({ name }) => name), nextAt: decided.nextAt }).toEqual({ settled, nextAt })
    seen = decided.seen
  }
})
