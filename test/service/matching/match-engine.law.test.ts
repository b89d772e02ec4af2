import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEGMENT_SIGNALS, type Signal } from '../../../src/contract/enumerations.ts'
import { normaliseKey } from '../../../src/contract/normalise-key.ts'
import { tries } from '../../support/tries.ts'
import { CALLER, type EngineBench, engineBench, OWNERS, sha256, smallNetwork } from './engine-bench.ts'

const HASHABLE: readonly Signal[] = ['EMAIL', 'IP', 'IDFA', 'AAID', 'STBID', 'ADDRESS']
const DAYS = ['2023-12-31', '2024-06-01', '2025-01-01', '2025-11-11', '2030-01-01']
const SCOPES = ['CABLE', 'HIGH_SPEED_DATA', 'VOD_ACTIVE', 'CUSTOM_1', 'NONE', 'LINEAR_ADDRESSABLE']

/**
 * A line of an upload, as the model sees it: a key of the population or of a stranger, or rubbish; how it is written;
 * and when.
 */
const line = fc.record({
  pick: fc.nat(400),
  kind: fc.constantFrom('known', 'known', 'known', 'stranger', 'rubbish'),
  written: fc.constantFrom('plain', 'quoted', 'hashed'),
  day: fc.constantFrom(...DAYS),
})

const world = fc.record({
  people: fc.integer({ min: 1, max: 80 }),
  seed: fc.nat(1000),
  universeCoverage: fc.constantFrom(0, 0.5, 1),
  graphCoverage: fc.constantFrom(0, 0.6, 1),
})

const request = fc.record({
  signal: fc.constantFrom(...SEGMENT_SIGNALS),
  dated: fc.boolean(),
  at: fc.constantFrom(...DAYS),
  provider: fc.constantFrom(CALLER, 2, 3),
  participants: fc.subarray([...OWNERS], { minLength: 1 }),
  scopes: fc.subarray(SCOPES, { minLength: 1 }),
  lines: fc.array(line, { minLength: 1, maxLength: 60 }),
})

test('segments and matches of every kind hold exactly whom plain sets hold', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(request, { minLength: 6, maxLength: 6 }), async (people, requests) => {
      await using bench = await engineBench(smallNetwork(people))
      for (const each of requests) await agree(bench, each)
    }),
    { numRuns: tries(4, 40), endOnFailure: true },
  )
})

type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never

async function agree(bench: EngineBench, { signal, dated, at, provider, participants, scopes, lines }: Request) {
  const upload = await uploadOf(bench, signal, provider, lines)
  const usable = upload.filter(({ key }) => key !== undefined) as { key: string; day: string }[]
  const dates = new Map(
    usable.map(({ key, day }) => [`${key} ${day}`, { key, day: dated && signal === 'IP' ? day : at }]),
  )
  const hashable = HASHABLE.includes(signal)
  const csvFile = await bench.csv(`key,time\n${upload.map(({ field, day }) => `${field},${day}`).join('\n')}\n`)
  const base = { csvFile, signal, dated, at: new Date(at), providerId: provider, target: bench.path('segment') }
  const matchBase = {
    segmentFile: base.target,
    uploadSignal: signal,
    participants,
    scopes,
    target: bench.path('match'),
  }
  if (usable.length === 0) {
    await expect(bench.engine.buildSegment({ ...base, resultContent: 'BGID' })).rejects.toThrow('usable')
    return
  }
  const figures = {
    rows: upload.length,
    badRows: upload.length - usable.length,
    keys: new Set(usable.map(({ key }) => key)).size,
  }
  const hashOf = (key: string) => (hashable && /^[0-9a-f]{64}$/.test(key) ? key : sha256(key))
  const lookUp = async (participant: number) => {
    const graph = await bench.graph(participant, signal)
    return graph.filter(({ key, from, to }) =>
      [...dates.values()].some((given) => hashOf(given.key) === sha256(key) && given.day >= from && given.day < to),
    )
  }
  const reach = async (participant: number, bgids: ReadonlySet<string>) =>
    (await bench.universe(participant))
      .filter((person) => bgids.has(person.bgid))
      .filter((person) =>
        scopes.some((scope) => (scope === 'NONE' ? person.scopes.size === 0 : person.scopes.has(scope))),
      )
      .map((person) => person.bgid)

  const people =
    signal === 'BGID'
      ? new Set(usable.map(({ key }) => key))
      : new Set((await lookUp(provider)).map(({ bgid }) => bgid))
  expect(await bench.engine.buildSegment({ ...base, resultContent: 'BGID' })).toEqual({
    ...figures,
    members: people.size,
  })
  expect(await bench.linesOf(base.target)).toEqual(sorted(people))
  const reached = new Set((await Promise.all(participants.map((owner) => reach(owner, people)))).flat())
  expect(await bench.engine.match({ ...matchBase, resultContent: 'BGID' })).toEqual({ matchCount: reached.size })
  expect(await bench.linesOf(matchBase.target)).toEqual(sorted(reached))

  const hashes = new Set(usable.map(({ key }) => hashOf(key)))
  expect(await bench.engine.buildSegment({ ...base, resultContent: 'HASHED' })).toEqual({
    ...figures,
    members: hashes.size,
  })
  const known = await Promise.all(
    participants.map(async (owner) => reach(owner, new Set((await lookUp(owner)).map(({ bgid }) => bgid)))),
  )
  const signalMatch = await bench.engine.match({ ...matchBase, resultContent: 'HASHED' })
  expect(signalMatch).toEqual({ matchCount: new Set(known.flat()).size })
  expect(await bench.linesOf(matchBase.target)).toEqual(sorted(new Set(known.flat())))
}

async function uploadOf(bench: EngineBench, signal: Signal, provider: number, lines: Request['lines']) {
  const graph = await bench.graph(provider, signal)
  return lines.map(({ pick, kind, written, day }) => {
    if (kind === 'rubbish') return { field: '"', key: undefined, day }
    const known = kind === 'known' ? graph[pick % Math.max(1, graph.length)]?.key : undefined
    const clear = known ?? stranger(signal, pick)
    const text = written === 'hashed' && HASHABLE.includes(signal) ? sha256(clear).toUpperCase() : clear
    return {
      field: written === 'quoted' || text.includes(',') ? `"${text}"` : text,
      key: normaliseKey(signal, text),
      day,
    }
  })
}

function stranger(signal: Signal, pick: number): string {
  if (signal === 'EMAIL') return `nobody${pick}@example.com`
  if (signal === 'IP') return `192.0.2.${pick % 256}`
  if (signal === 'ZIPCODE') return String(90_000 + pick)
  if (signal === 'IDFA' || signal === 'AAID' || signal === 'STBID') return sha256(String(pick)).slice(0, 32)
  return `NOBODY ${pick}`
}

function sorted(set: ReadonlySet<string>): string[] {
  return set.size === 0 ? [] : [...set].sort()
}
