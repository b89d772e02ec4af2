import { readdir, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MatchTask } from '../../../src/service/matching/match.ts'
import { type EngineBench, engineBench, type Reachable } from './engine-bench.ts'

let bench: EngineBench
let universes: Map<number, Reachable[]>

beforeAll(async () => {
  bench = await engineBench()
  universes = new Map()
  for (const owner of [2, 3, 4]) universes.set(owner, await bench.universe(owner))
  const everybody = (await bench.graph(1, 'BGID')).map(({ bgid }) => bgid)
  await bench.engine.buildSegment({
    csvFile: await bench.csv(everybody.join('\n')),
    signal: 'BGID',
    resultContent: 'BGID',
    dated: false,
    at: new Date(0),
    target: bench.path('segment'),
  })
})
afterAll(() => bench[Symbol.asyncDispose]())

function match(request: Partial<MatchTask>) {
  return bench.engine.match({
    segmentFile: bench.path('segment'),
    resultContent: 'BGID',
    uploadSignal: 'BGID',
    participants: [2],
    scopes: ['CABLE'],
    target: bench.path('match'),
    ...request,
  })
}

function reachable(owners: readonly number[], reached: (scopes: ReadonlySet<string>) => boolean): number {
  const people = owners.flatMap((owner) => universes.get(owner)!.filter(({ scopes }) => reached(scopes)))
  return new Set(people.map(({ bgid }) => bgid)).size
}

describe('whom a scope reaches', () => {
  test.each<[string, number[], string[], (scopes: ReadonlySet<string>) => boolean]>([
    ['one scope', [2], ['CABLE'], (scopes) => scopes.has('CABLE')],
    ['either of two', [2], ['CABLE', 'HIGH_SPEED_DATA'], (scopes) => scopes.size > 0],
    ['NONE: people without any scope (decision 28)', [2], ['NONE'], (scopes) => scopes.size === 0],
    ['a scope and NONE', [2], ['CABLE', 'NONE'], (scopes) => scopes.size === 0 || scopes.has('CABLE')],
    ['a custom scope', [4], ['CUSTOM_1'], (scopes) => scopes.has('CUSTOM_1')],
    ['a scope that the partner lacks', [4], ['CABLE'], () => false],
    ['the union of a group, each person once', [2, 3], ['CABLE'], (scopes) => scopes.has('CABLE')],
    ['a group with a member that lacks the scope', [2, 4], ['CABLE'], (scopes) => scopes.has('CABLE')],
  ])('%s', async (_what, participants, scopes, reached) => {
    expect(await match({ participants, scopes })).toEqual({ matchCount: reachable(participants, reached) })
  })
})

test('a group reaches fewer people than its members do one by one', async () => {
  const [two, three, both] = [
    await match({ participants: [2] }),
    await match({ participants: [3] }),
    await match({ participants: [2, 3] }),
  ]
  expect(both.matchCount).toBeLessThan(two.matchCount + three.matchCount)
  expect(both.matchCount).toBeGreaterThan(Math.max(two.matchCount, three.matchCount))
})

test('a match that finds nobody is a file all the same', async () => {
  expect(await match({ participants: [4] })).toEqual({ matchCount: 0 })
  expect(await bench.linesOf(bench.path('match'))).toEqual([])
  await bench.engine.split({
    matchFile: bench.path('match'),
    matchId: '1',
    shaveOffPercent: 10,
    controlHoldoutPercent: 10,
    target: bench.path('split'),
  })
  expect(await bench.linesOf(bench.path('split'))).toEqual([])
})

test('a target is there whole or as it was before', async () => {
  await match({ target: bench.path('kept') })
  const before = await readFile(bench.path('kept'))
  await writeFile(bench.path('broken'), 'not Parquet')
  await expect(match({ segmentFile: bench.path('broken'), target: bench.path('kept') })).rejects.toThrow()
  await writeFile(bench.path('kept.part'), 'half of one')
  expect(await readFile(bench.path('kept'))).toEqual(before)
  await match({ target: bench.path('kept') })
  expect((await readdir(bench.path('.'))).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('closing ends the engine while it works', async () => {
  const other = await engineBench()
  const csvFile = await other.csv(Array.from({ length: 20_000 }, (_, index) => `a${index}@example.com`).join('\n'))
  const work = other.engine.buildSegment({
    csvFile,
    signal: 'EMAIL',
    resultContent: 'HASHED',
    dated: false,
    at: new Date(0),
    target: other.path('segment'),
  })
  const settled = Promise.allSettled([work])
  await other.engine.close()
  await settled
  await other[Symbol.asyncDispose]()
})
