import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EngineBench, engineBench, smallNetwork } from './engine-bench.ts'

let bench: EngineBench
let people: string[]

beforeAll(async () => {
  bench = await engineBench(smallNetwork({ people: 400 }))
  people = (await bench.graph(1, 'BGID')).map(({ bgid }) => bgid)
  const csvFile = await bench.csv(people.join('\n'))
  await bench.engine.buildSegment({
    csvFile,
    signal: 'BGID',
    resultContent: 'BGID',
    dated: false,
    at: new Date(0),
    target: bench.path('match'),
  })
})
afterAll(() => bench[Symbol.asyncDispose]())

async function split(matchId: string, shaveOffPercent: number, controlHoldoutPercent: number) {
  const target = bench.path('split')
  await bench.engine.split({
    matchFile: bench.path('match'),
    matchId,
    shaveOffPercent,
    controlHoldoutPercent,
    target,
  })
  const parts = new Map((await bench.linesOf(target)).map((line) => line.split(',') as [string, string]))
  const of = (part: string) => new Set([...parts].filter(([, value]) => value === part).map(([bgid]) => bgid))
  return { test: of('test'), control: of('control'), shaved: of('shaved') }
}

/** Compares 100 × the first 64 bits of the hash to 2^64 × percent, exactly, with integers. */
function isBelow(percent: number, text: string): boolean {
  return createHash('sha256').update(text).digest().readBigUInt64BE() * 100n < 2n ** 64n * BigInt(percent)
}

const percent = fc.integer({ min: 0, max: 100 })
const matchId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String)

test('everybody is where the hash of match, purpose and person says', async () => {
  await fc.assert(
    fc.asyncProperty(matchId, percent, percent, async (id, shave, control) => {
      const result = await split(id, shave, control)
      for (const bgid of people) {
        const part = isBelow(shave, `${id}:shave:${bgid}`)
          ? 'shaved'
          : isBelow(control, `${id}:control:${bgid}`)
            ? 'control'
            : 'test'
        expect(result[part].has(bgid)).toBe(true)
      }
      expect(result.test.size + result.control.size + result.shaved.size).toBe(people.length)
    }),
    { numRuns: 15 },
  )
})

test('raising a percentage only adds', async () => {
  await fc.assert(
    fc.asyncProperty(matchId, percent, percent, percent, async (id, one, other, shave) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      expect([...(await split(id, high, 0)).shaved]).toEqual(
        expect.arrayContaining([...(await split(id, low, 0)).shaved]),
      )
      expect([...(await split(id, shave, high)).control]).toEqual(
        expect.arrayContaining([...(await split(id, shave, low)).control]),
      )
    }),
    { numRuns: 10 },
  )
})

test.each([
  [0, 0, { test: 400, control: 0, shaved: 0 }],
  [100, 0, { test: 0, control: 0, shaved: 400 }],
  [100, 100, { test: 0, control: 0, shaved: 400 }],
  [0, 100, { test: 0, control: 400, shaved: 0 }],
])('%i %% shaved off and %i %% held out', async (shave, control, counts) => {
  const result = await split('1', shave, control)
  expect({ test: result.test.size, control: result.control.size, shaved: result.shaved.size }).toEqual(counts)
})

test('a part of a split is exported alone', async () => {
  const { control } = await split('4711', 20, 30)
  const target = bench.path('control.csv')
  await bench.engine.exportSet({ file: bench.path('split'), part: 'control', target })
  expect((await readFile(target, 'utf8')).trim().split('\n')).toEqual(['bgid', ...[...control].sort()])
})
