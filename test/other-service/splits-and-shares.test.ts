import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, openBench, pipelines } from './nights.ts'
import { type VariantName, variants } from './variants.ts'
import type { Loss, LossKind, Ways } from './ways.ts'

useTurnClock()

/** The nightly document with a segment that is shared with partners and a match that is split. */
function documentWith(partners: readonly number[], holdout: number): string {
  const nightly = readFileSync(join(pipelines, 'nightly.yaml'), 'utf8')
  const segment = `      segmentName: Auto intenders\n      shareWith: ${JSON.stringify(partners)}`
  const match = `      accessBgIds: false\n      testControl: { controlHoldoutPercent: ${holdout} }`
  const written = nightly
    .replace('      segmentName: Auto intenders', segment)
    .replace('      accessBgIds: false', match)
  expect(written).toMatch(/shareWith: [\s\S]*testControl: /)
  return written
}

/** The split of the match at the service, and how often each partner got the segment. */
function held({ service: { holdings } }: Bench) {
  const split = holdings.matches.find(({ request }) => request.groupId !== undefined)?.split
  const shares = holdings.segments.find(({ shares }) => shares.size > 0)?.shares ?? new Map()
  return { holdout: Number(split?.controlHoldoutPercent ?? 0), ...Object.fromEntries(shares) }
}

const jobs = ({ service }: Bench) =>
  service.taken.filter(({ operation }) => ['matches.testControl', 'segments.share'].includes(operation)).length

/** Five nights: the first, one without a change, one with other people, one with changes, and one without. */
async function fiveNights(ways: Partial<Ways>, losses: readonly LossKind[] = []): Promise<unknown[]> {
  await using bench = await openBench(ways)
  const [first, changed] = [documentWith([2001], 50), documentWith([2001, 2002], 20)]
  const lost = (...operations: Loss['operation'][]) =>
    losses.flatMap((how) => operations.map((operation) => ({ operation, how })))
  const both = lost('matches.testControl', 'segments.share')
  const nights = []
  for (const [document, people, lostNow] of [
    [first, 120, both],
    [first, 120, []],
    [first, 140, lost('matches.testControl')],
    [changed, 140, both],
    [changed, 140, []],
  ] as const) {
    const before = jobs(bench)
    const { code, message } = await bench.run(document, { people, losses: lostNow })
    nights.push([`${code} ${message}`.trim(), held(bench), `${jobs(bench) - before} jobs`])
  }
  return nights
}

/** `times`: how often a share arrives when its answer is lost. The second one changes nothing. */
const wanted = (times = 1) => [
  ['0', { holdout: 50, 2001: times }, `${1 + times} jobs`],
  ['0', { holdout: 50, 2001: times }, '0 jobs'],
  ['0', { holdout: 50, 2001: times }, '1 jobs'],
  ['0', { holdout: 20, 2001: times, 2002: times }, `${1 + times} jobs`],
  ['0', { holdout: 20, 2001: times, 2002: times }, '0 jobs'],
]

const names = (Object.keys(variants) as VariantName[]).filter((name) => /matchId|matchJobId|finished/.test(name))

describe.concurrent('a split and shares over five nights', () => {
  test.each(['a plain one', ...names] as const)('%s', async (name) => {
    expect(await fiveNights(variants[name])).toEqual(wanted())
  })

  test.each(['resetAfter', 'errorAfter', 'htmlAfter', 'emptyAfter', 'truncatedAfter'] as const)(
    'whose answers are all lost after they were applied: %s',
    async (how) => {
      expect(await fiveNights({}, [how])).toEqual(wanted(2))
    },
  )

  test.each(['resetBefore', 'errorBefore'] as const)('whose answers are all lost before: %s', async (how) => {
    expect(await fiveNights({}, [how])).toEqual(wanted())
  })
})
