import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Night, openBench } from './nights.ts'
import type { Ways } from './ways.ts'
import { documentOf, existing, type Step, type With } from './whose.ts'

useTurnClock()

/** The outputs of the step, with ids as texts. */
function outOf({ outputs }: Night): Readonly<Record<string, unknown>> {
  const { matchId, ...out } = (outputs.out ?? {}) as Readonly<Record<string, unknown>>
  return { ...out, matchId: String(matchId) }
}

/** The approver that somebody else's match shows. */
const APPROVERS: readonly [name: string, ways: Partial<Ways>][] = [
  ['null', { approver: 'null', partnerApprover: 'null' }],
  ['nothing', { approver: 'absent', partnerApprover: 'null' }],
  ['a member of the group, or the partner', { approver: 'member' }],
  ['the requester, or null', { approver: 'caller', partnerApprover: 'null' }],
  ['the group, or the partner', {}],
]
const DIRECTIONS: readonly (readonly [is: With, wanted: With])[] = [
  ['group 9001', 'partner 2001'],
  ['partner 2001', 'group 9001'],
  ['partner 2002', 'partner 2001'],
]

describe.concurrent('a match with somebody else is never taken or refreshed', () => {
  test.each(
    APPROVERS.flatMap(([approver, ways]) => DIRECTIONS.map(([is, wanted]) => [is, approver, wanted, ways] as const)),
  )('it is with %s, shows %s, and the step wants %s', async (is, _, wanted, ways) => {
    await using bench = await openBench(ways)
    const segmentId = existing(bench).segment('s')
    const jobId = existing(bench).match(segmentId, is)
    const document = documentOf({ uses: 'matches.ensure', segmentId, counterpart: wanted })
    const night = await bench.run(document)
    const [others, own] = bench.service.holdings.matches
    expect(others?.jobs.length).toBe(1)
    if (night.state === 'succeeded') {
      expect([outOf(night).action, own?.request]).toEqual(['created', expect.objectContaining(idOf(wanted))])
      return
    }
    expect(night).toMatchObject({
      code: 1,
      state: 'match-undecided',
      message: expect.stringContaining(`match ${jobId}`),
    })
    const plan = await bench.audience(['plan', `${bench.folder}/document.yaml`])
    expect(plan.text).toContain('a person has to decide')
    const again = await bench.resume(night.runId, ['--step', 'it', '--again'])
    expect([again.state, outOf(again).action]).toEqual(['succeeded', 'created'])
    expect(bench.service.holdings.matches.map(({ jobs }) => jobs.length)).toEqual([1, 1])
  })

  test('a person may say that it is the wanted match; after that it is known', async () => {
    await using bench = await openBench({ approver: 'null' })
    const segmentId = existing(bench).segment('s')
    const jobId = existing(bench).match(segmentId, 'group 9001')
    const document = documentOf({ uses: 'matches.ensure', segmentId, counterpart: 'group 9001' })
    const asked = await bench.run(document)
    expect(asked.hint).toContain(`takes ${jobId}`)
    const done = await bench.resume(asked.runId, ['--step', 'it', '--done'])
    expect(outOf(done)).toMatchObject({ action: 'refreshed', matchId: jobId })
    const other = documentOf({ uses: 'matches.ensure', segmentId, counterpart: 'group 9001', pipeline: 'q' })
    expect(outOf(await bench.run(other))).toMatchObject({ matchId: jobId })
    expect(bench.counts().matches).toBe(1)
  })

  test('one that a create step made is known to any pipeline, with whomever it is', async () => {
    await using bench = await openBench({ approver: 'null', partnerApprover: 'null' })
    const segmentId = existing(bench).segment('s')
    const run = (uses: Step['uses'], counterpart: With, pipeline: string, waits = true) =>
      bench.run(documentOf({ uses, segmentId, counterpart, pipeline, waits }))
    await run('matches.create', 'group 9001', 'p', false)
    await run('matches.create', 'partner 2001', 'p', false)
    const ensured = await run('matches.ensure', 'partner 2001', 'q')
    const [, own] = bench.service.holdings.matches
    expect(outOf(ensured)).toMatchObject({ matchId: own?.id })
    expect(outOf(await run('matches.ensure', 'partner 2002', 'q')).action).toBe('created')
    expect(bench.counts().matches).toBe(3)
  })
})

function idOf(counterpart: With) {
  const [kind, id] = counterpart.split(' ')
  return { [`${kind}Id`]: Number(id) }
}

describe.concurrent('an activation of another segment', () => {
  const setUp = async (ways: Partial<Ways> = {}) => {
    const bench = await openBench(ways)
    const { segment, match } = existing(bench)
    const [a, b] = [segment('a'), segment('b')]
    const [jobOfA, jobOfB] = [match(a, 'group 9001'), match(b, 'group 9001')]
    const step = (uses: Step['uses'], of: 'a' | 'b', more: Partial<Step> = {}) =>
      bench.run(
        documentOf({
          ...{ uses, counterpart: 'group 9001', segmentId: of === 'a' ? a : b },
          matchJobId: of === 'a' ? jobOfA : jobOfB,
          ...more,
        }),
      )
    const held = () => bench.service.holdings.activations.map(({ request }) => (request.segmentId === a ? 'a' : 'b'))
    return { bench, step, held, a, b, jobOfA, jobOfB }
  }

  test.each([true, false])('that a create step made is not this step’s; it waited for it: %s', async (waits) => {
    const { bench, step, held } = await setUp()
    await using _ = bench
    expect((await step('activations.create', 'a', { waits })).state).toBe('succeeded')
    expect(outOf(await step('activations.ensure', 'b')).action).toBe('created')
    expect(held()).toEqual(['a', 'b'])
    expect(outOf(await step('activations.ensure', 'a', { pipeline: 'q' })).action).toBe('unchanged')
    expect(held()).toEqual(['a', 'b'])
  })

  test('of the same segment that a create step has only just begun is waited for', async () => {
    const { bench, step, held } = await setUp({ jobMs: 30_000 })
    await using _ = bench
    await step('activations.create', 'a', { waits: false })
    expect(outOf(await step('activations.ensure', 'a')).action).toBe('unchanged')
    expect(held()).toEqual(['a'])
  })

  test('and one of ours, neither of them known: a person decides, and sees both', async () => {
    const { bench, step, held, a, b, jobOfA, jobOfB } = await setUp()
    await using _ = bench
    const ids = [existing(bench).activation(a, jobOfA), existing(bench).activation(b, jobOfB)]
    const asked = await step('activations.ensure', 'b')
    expect(asked).toMatchObject({ code: 1, state: 'activation-undecided' })
    for (const id of ids) expect(asked.message).toContain(`activation ${id} (status Activated`)
    const plan = await bench.audience(['plan', `${bench.folder}/document.yaml`])
    expect(plan.text).toContain('a person has to decide')
    const done = await bench.resume(asked.runId, ['--step', 'it', '--done'])
    expect(outOf(done)).toMatchObject({ action: 'unchanged', activationId: ids[1] })
    expect(held()).toEqual(['a', 'b'])
    // Ours is known now; the other one is the only unknown candidate.
    expect(outOf(await step('activations.ensure', 'b', { pipeline: 'q' }))).toMatchObject({ activationId: ids[1] })
  })

  test('and one of ours, neither of them known: a person may want another one', async () => {
    const { bench, step, held, a, jobOfA } = await setUp()
    await using _ = bench
    for (const _each of [1, 2]) existing(bench).activation(a, jobOfA)
    const asked = await step('activations.ensure', 'b')
    const again = await bench.resume(asked.runId, ['--step', 'it', '--again'])
    expect(outOf(again).action).toBe('created')
    expect(held()).toEqual(['a', 'a', 'b'])
  })

  test('that another run made, and that is listed late, is not what a lost request made', async () => {
    const { bench, step, held } = await setUp({ listedAfterMs: { segments: 0, matches: 0, activations: 10_000 } })
    await using _ = bench
    expect((await step('activations.create', 'a', { pipeline: 'q' })).state).toBe('succeeded')
    bench.service.lose({ operation: 'activations.create', how: 'resetBefore' })
    expect((await step('activations.create', 'b')).state).toBe('outcome-unknown')
    expect(held()).toEqual(['a'])
  })
})
