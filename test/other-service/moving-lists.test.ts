import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, openBench } from './nights.ts'
import type { Ways } from './ways.ts'

useTurnClock()

/** Enough other things of each kind that our own, made last, are on the second page. */
const CROWD = 100

type Kind = 'segments' | 'matches' | 'activations'
const LISTS = { segments: 'segments.list', matches: 'matches.list', activations: 'activations.list' } as const
const KINDS = Object.keys(LISTS) as Kind[]

/** What another client does between two pages, so that our thing moves to a page that was already read. */
const CHANGES: readonly [what: string, change: (items: unknown[]) => void][] = [
  ['deletes an older one', (items) => void items.shift()],
  ['deletes one and makes one', (items) => void items.push({ ...(items.shift() as object), id: '77' })],
  ['moves ours to the front', toFront],
]

function toFront(items: unknown[]): void {
  items.unshift(...items.splice(-1))
}

/** A document that activates what exists. */
const activationOf = (ids: object): string =>
  JSON.stringify({
    version: 1,
    name: 'one',
    steps: [
      {
        id: 'activate',
        uses: 'activations.ensure',
        with: { activationName: 'Auto intenders nightly', ...ids, refreshRate: 30, actionType: 'REQUEST' },
      },
    ],
  })

/** A night that made everything, and then lost its machine. */
async function forgotten(ways: Partial<Ways>): Promise<Bench> {
  const bench = await openBench({ crowd: CROWD, filters: 'ignored', ...ways })
  expect(await bench.run('nightly.yaml')).toMatchObject({ state: 'succeeded' })
  bench.forget()
  return bench
}

/**
 * Our thing is on the second page but has moved when that page is read: the list changes once after each first page.
 */
function moveOnce({ service }: Bench, kinds: readonly Kind[], change: (items: unknown[]) => void): void {
  for (const kind of kinds) service.afterNext(LISTS[kind], () => change(service.holdings[kind]))
}

/** The number of our own things, whatever happened to the others. */
function ours({ service: { holdings } }: Bench) {
  const { segments, matches, activations } = holdings
  const own = segments.filter(({ fields }) => fields.participantSegmentId === 'auto-intenders')
  return {
    segments: own.length,
    matches: matches.filter(({ request }) => own.some(({ id }) => id === request.segmentId)).length,
    activations: activations.filter(
      ({ request, myRole }) => request.activationName === 'Auto intenders nightly' && myRole === 'Requester',
    ).length,
  }
}

describe.each(CHANGES)('another client %s between two pages', (_, change) => {
  test('and what is there is found, not made a second time', async () => {
    await using bench = await forgotten({})
    moveOnce(bench, KINDS, change)
    const { state, outputs } = await bench.run('nightly.yaml')
    expect({ state, ...ours(bench) }).toEqual({ state: 'succeeded', segments: 1, matches: 1, activations: 1 })
    expect(outputs).toMatchObject({ segment: 'unchanged', match: 'refreshed', activation: 'unchanged' })
  })

  test('and --all shows what was there before and after', async () => {
    await using bench = await forgotten({})
    moveOnce(bench, ['activations'], change)
    const before = bench.service.taken.length
    const { code, text } = await bench.audience(['api', 'activations.list', '--all'])
    const names = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).ActivationName)
    expect({ code, ours: names.filter((name) => name === 'Auto intenders nightly').length }).toEqual({
      code: 0,
      ours: 51,
    })
    expect(bench.service.taken.length - before).toBeLessThan(12)
  })
})

test.each(['oldest', 'newest'] as const)(
  'a plan with the %s first: what is there is not planned to be made',
  async (order) => {
    await using bench = await forgotten({ order })
    const { activations, segments, matches } = bench.service.holdings
    if (order === 'newest') toFront(activations)
    moveOnce(bench, ['activations'], (items) => void items.splice(order === 'oldest' ? 0 : -1, 1))
    const document = join(bench.folder, 'one.yaml')
    writeFileSync(document, activationOf({ segmentId: segments.at(-1)?.id, matchJobId: matches.at(-1)?.id }))
    const { code, text } = await bench.audience(['plan', document, '--json'])
    expect({ code, steps: JSON.parse(text).steps }).toMatchObject({ code: 0, steps: [{ action: 'leave' }] })
  },
)

test('a create that is lost before it arrives is not taken for an earlier one with that name', async () => {
  await using bench = await openBench({ crowd: CROWD })
  expect(await bench.run('quickstart.yaml')).toMatchObject({ state: 'succeeded' })
  moveOnce(bench, ['activations'], (items) => void items.shift())
  const losses = [{ operation: 'activations.create', how: 'resetBefore' }] as const
  expect(await bench.run('quickstart.yaml', { losses })).toMatchObject({ code: 1, state: 'outcome-unknown' })
})

describe('a list that changes with every page', () => {
  /** After each page, somebody deletes an item and makes another one. */
  function moveForEver(bench: Bench, kind: Kind): void {
    const { service } = bench
    service.afterNext(LISTS[kind], () => {
      const items: unknown[] = service.holdings[kind]
      items.push({ ...(items.shift() as object), id: service.holdings.number() })
      moveForEver(bench, kind)
    })
  }

  test('is an error, and nothing is made', async () => {
    await using bench = await forgotten({})
    moveForEver(bench, 'activations')
    expect(await bench.run('nightly.yaml')).toMatchObject({
      code: 1,
      state: 'list-not-still',
      hint: expect.stringContaining('try again'),
    })
    expect(ours(bench)).toMatchObject({ activations: 1 })
  })

  test('is an error after what was seen with --all', async () => {
    await using bench = await forgotten({})
    moveForEver(bench, 'activations')
    const { code, text } = await bench.audience(['api', 'activations.list', '--all'])
    expect(code).toBe(1)
    expect(text).toContain('activations.list changed while it was read, 7 times in a row')
    expect(text).toContain('"ActivationName":"Auto intenders nightly"')
  })
})

describe('a list whose order has ties', () => {
  test('is read whole if its ties are at the edges of pages: what is there is found', async () => {
    await using bench = await forgotten({ order: 'tied' })
    const { state, outputs } = await bench.run('nightly.yaml')
    expect({ state, ...ours(bench) }).toEqual({ state: 'succeeded', segments: 1, matches: 1, activations: 1 })
    expect(outputs).toMatchObject({ segment: 'unchanged', match: 'refreshed', activation: 'unchanged' })
  })

  test('is an error if one item shows twice and ours never: nothing is made a second time', async () => {
    await using bench = await openBench({ crowd: CROWD, order: 'shadowed' })
    const { activations, segments, matches } = bench.service.holdings
    const count = activations.length
    const document = join(bench.folder, 'one.yaml')
    writeFileSync(document, activationOf({ segmentId: segments.at(-1)?.id, matchJobId: matches.at(-1)?.id }))
    activations.push({ ...(activations[0] as (typeof activations)[0]), id: bench.service.holdings.number() })
    const isError = { code: 1, text: expect.stringContaining('showed an item twice in each of 7 readings') }
    expect(await bench.audience(['run', document])).toMatchObject(isError)
    expect(await bench.audience(['plan', document])).toMatchObject(isError)
    expect(await bench.audience(['api', 'activations.list', '--all'])).toMatchObject(isError)
    expect(activations).toHaveLength(count + 1)
  })
})
