import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tries } from '../support/tries.ts'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, type Night, openBench } from './nights.ts'
import type { LossKind, Ways } from './ways.ts'
import { documentOf, existing, LISTED_AT_ONCE, type Step, WAYS_TO_SHOW, type With } from './whose.ts'

useTurnClock()

const anyWays: fc.Arbitrary<Partial<Ways>> = fc.record({
  ...WAYS_TO_SHOW,
  listedAfterMs: fc.constantFrom(...LISTED_AT_ONCE),
})

interface Act extends Pick<Step, 'uses' | 'counterpart' | 'waits' | 'pipeline'> {
  readonly of: 'a' | 'b'
  readonly loss?: LossKind | undefined
  readonly forgets?: boolean | undefined
}

const anyAct: fc.Arbitrary<Act> = fc.record({
  uses: fc.constantFrom('matches.create', 'matches.ensure', 'activations.create', 'activations.ensure'),
  counterpart: fc.constantFrom<With[]>('partner 2001', 'partner 2002', 'group 9001'),
  of: fc.constantFrom('a', 'b'),
  waits: fc.boolean(),
  pipeline: fc.constantFrom('p', 'q'),
  loss: fc.option(fc.constantFrom<LossKind[]>('resetBefore', 'resetAfter'), { nil: undefined, freq: 4 }),
  forgets: fc.option(fc.constant(true), { nil: undefined, freq: 8 }),
})

/** The target of a thing at the service. */
const targetOf = ({ segmentId, partnerId, groupId }: Readonly<Record<string, unknown>>) =>
  [segmentId, groupId === undefined ? partnerId && `partner ${partnerId}` : `group ${groupId}`]
    .filter(Boolean)
    .join(' ')

/**
 * After any earlier creates and ensures, for any segments, partners and groups, with lost answers and a lost state: a
 * step that succeeds has a thing for its own target and touches no other, and an ensure step never makes a second copy
 * of a thing that this state made.
 */
test('no step takes what belongs to somebody else, and no ensure step makes again what this state has made', async () => {
  await fc.assert(
    fc.asyncProperty(anyWays, fc.array(anyAct, { minLength: 2, maxLength: 5 }), async (ways, acts) => {
      await using bench = await openBench(ways)
      const { segment, match, activation } = existing(bench)
      const ids = { a: segment('a'), b: segment('b') }
      const jobs = { a: match(ids.a, 'group 9001'), b: match(ids.b, 'partner 2001') }
      activation(ids.a, jobs.a)
      /** The steps that succeeded since the state was lost. */
      let known: string[] = []
      const madeHere = new Set<string>()
      for (const { of, loss, forgets, ...act } of acts) {
        if (forgets && isQuiet(bench)) {
          bench.forget()
          known = []
          madeHere.clear()
        }
        const kind = act.uses.startsWith('matches') ? 'matches' : 'activations'
        if (loss) bench.service.lose({ operation: `${kind}.create`, how: loss })
        const before = sight(bench)
        const night = await bench.run(documentOf({ ...act, segmentId: ids[of], matchJobId: jobs[of] }))
        const wanted = kind === 'matches' ? `${ids[of]} ${act.counterpart}` : ids[of]
        // A loss that did not happen must not affect another step.
        bench.service.forgive()
        const touched = sight(bench).filter(({ id, jobs }) => before.find((one) => one.id === id)?.jobs !== jobs)
        expect(touched.filter(({ target }) => target !== `${kind} ${wanted}`)).toEqual([])
        if (night.state !== 'succeeded') {
          // The person who is asked gives up the step. Until then, the next one waits for its claim.
          await bench.audience(['runs', 'cancel', night.runId])
          continue
        }
        const made = touched.filter(({ id }) => !before.some((one) => one.id === id))
        const isEnsure = act.uses.endsWith('ensure')
        const taken = idOf(night, kind)
        if (!isEnsure) expect(made.length).toBe(1)
        else if (known.includes(`${kind} ${wanted}`)) expect(made).toEqual([])
        else expect(made.length).toBeLessThanOrEqual(1)
        if (taken !== undefined) {
          const own = sight(bench).find((one) => one.kind === kind && one.ids.includes(taken))
          // The service does not show the match of an activation, so a step takes a lone activation that this state did
          // not make.
          const isForeign = kind === 'activations' && isEnsure && !madeHere.has(taken)
          expect(isForeign ? `${kind} ${wanted}` : own?.target).toBe(`${kind} ${wanted}`)
        }
        for (const { id } of made) madeHere.add(id)
        known.push(`${kind} ${wanted}`)
      }
    }),
    { numRuns: tries(10, 2000) },
  )
})

/** A thing that appears after the state was lost may belong to anybody. */
function isQuiet({ service: { holdings } }: Bench): boolean {
  return [...holdings.jobs.values()].every(({ endsAt }) => endsAt <= holdings.now())
}

function sight({ service: { holdings } }: Bench) {
  return [
    ...holdings.matches.map(({ id, request, jobs }) => ({
      ...{ kind: 'matches', id, ids: [id, jobs[0]?.id], target: `matches ${targetOf(request)}`, jobs: jobs.length },
    })),
    ...holdings.activations.map(({ id, request }) => ({
      ...{ kind: 'activations', id, ids: [id], target: `activations ${targetOf(request)}`, jobs: 1 },
    })),
  ]
}

function idOf({ outputs }: Night, kind: 'matches' | 'activations'): string | undefined {
  const { matchId, activationId } = (outputs.out ?? {}) as Readonly<Record<string, unknown>>
  const id = kind === 'matches' ? matchId : activationId
  return id === undefined ? undefined : String(id)
}
