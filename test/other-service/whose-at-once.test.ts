import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLong } from '../support/is-long.ts'
import { tries } from '../support/tries.ts'
import { useTurnClock } from '../support/turn-clock.ts'
import { type Bench, openBench } from './nights.ts'
import { type Command, eventsOf, settled, type Told } from './settle-runs.ts'
import type { LossKind, Ways } from './ways.ts'
import { existing, LISTED_AT_ONCE, WAYS_TO_SHOW } from './whose.ts'

useTurnClock()

const KINDS = ['segments', 'matches', 'activations'] as const
type Kind = (typeof KINDS)[number]
const SINGULAR = { segments: 'segment ', matches: 'match ', activations: 'activation ' } as const

const anyWays: fc.Arbitrary<Partial<Ways>> = fc.record({
  ...WAYS_TO_SHOW,
  jobMs: fc.constantFrom(0, 1500, 20_000),
  jobHiddenMs: fc.constantFrom(0, 3000),
  listedAfterMs: fc.constantFrom(...LISTED_AT_ONCE, { segments: 5000, matches: 5000, activations: 60_000 }),
})

/** A wanted thing: for the first or second segment, and the first or second counterpart. */
const anyItem = fc.record({
  of: fc.constantFrom('a', 'b'),
  counterpart: fc.constantFrom('partner 2001', 'partner 2002', 'group 9001'),
})
type Item = typeof anyItem extends fc.Arbitrary<infer T> ? T : never

const anyAct = fc.record({
  does: fc.constantFrom('create', 'ensure'),
  waits: fc.boolean(),
  items: fc.array(anyItem, { minLength: 1, maxLength: 2 }),
})
type Act = typeof anyAct extends fc.Arbitrary<infer T> ? T : never

interface Round {
  readonly kind: Kind
  readonly acts: readonly { readonly does: Act['does']; readonly waits: boolean; readonly items: readonly Item[] }[]
  readonly losses: readonly LossKind[]
  /** Whether answers come late. */
  readonly late: boolean
  /**
   * The command of the first act is stopped after this request of the round was applied; its run continues beside the
   * others.
   */
  readonly stopped: number | undefined
}

const anyRound: fc.Arbitrary<Round> = fc.record({
  kind: fc.constantFrom(...KINDS),
  acts: fc.array(anyAct, { minLength: 1, maxLength: 2 }),
  losses: fc.array(fc.constantFrom<LossKind[]>('errorBefore', 'errorAfter', 'resetBefore', 'resetAfter'), {
    maxLength: 3,
  }),
  late: fc.boolean(),
  stopped: fc.option(fc.constantFrom(1, 2), { nil: undefined, freq: 3 }),
})

const [A, B] = [
  { of: 'a', counterpart: 'partner 2001' },
  { of: 'b', counterpart: 'partner 2002' },
] as const
/** Two acts that a reader of the service cannot distinguish. */
const TWINS: readonly (readonly [kind: Kind, does: Act['does'], ...items: Item[]])[] = [
  ['matches', 'create', A, { ...A, counterpart: 'partner 2002' }],
  ['matches', 'ensure', A, { ...A, counterpart: 'partner 2002' }],
  ['matches', 'create', A, A],
  ['activations', 'create', A, B],
  ['activations', 'ensure', A, B],
  ['activations', 'create', A, A],
  ['segments', 'create', A, A],
]

describe('of two whose answers come late, one or both lost, none takes the other’s', () => {
  const losses: readonly (readonly LossKind[])[] = [['errorBefore'], ['errorBefore', 'errorAfter']]
  test.each(TWINS.flatMap(([kind, does, ...items]) => losses.map((lost) => [kind, does, items, lost] as const)))(
    '%s.%s %o, %s',
    async (kind, does, items, lost) => {
      await using bench = await openBench({ partnerApprover: 'null', scopesShown: false })
      const round = { kind, acts: [{ does, waits: true, items }], losses: lost, late: true, stopped: undefined }
      await livesThrough(bench, [round])
    },
  )
})

/**
 * For anything that runs at the same time (items of a forEach, runs, a resumed run beside others) and any lost answers:
 * no step succeeds without a thing for its own target, no two creates get the same thing, and there is never more than
 * one thing for each create plus one for all ensures together.
 */
test('steps that run at the same moment each have their own thing, and never two', async () => {
  await fc.assert(
    fc.asyncProperty(anyWays, fc.array(anyRound, { minLength: 1, maxLength: isLong ? 3 : 2 }), async (ways, rounds) => {
      await using bench = await openBench(ways)
      await livesThrough(bench, rounds)
    }),
    { numRuns: tries(4, 1000) },
  )
})

/** Checks the law above for the results of the rounds. */
async function livesThrough(bench: Bench, rounds: readonly Round[]): Promise<void> {
  const scene = prepared(bench)
  const history: { readonly target: string; readonly does: string; readonly id: string | undefined }[] = []
  for (const [place, { kind, acts, losses, late, stopped }] of rounds.entries()) {
    for (const operation of [`${kind}.list`, `${kind}.create`])
      bench.service.delay(operation, () => sleep(late ? 40 : 2))
    for (const how of losses) bench.service.lose({ operation: `${kind}.create`, how })
    const commands: Command[] = acts.map((act, index) => begin(bench, documentOf(kind, act, scene), `p${index}`))
    const begun = [...commands]
    const [first] = begun
    if (first && stopped !== undefined) commands.push(await resumed(bench, { first, begun, kind, request: stopped }))
    const told = await settled(bench, commands)
    bench.service.forgive()
    for (const [index, act] of acts.entries()) {
      const [{ runId = '' } = {}] = begun[index] ? eventsOf(begun[index]) : []
      for (const [item, wanted] of act.items.entries()) {
        // The end of the whole forEach belongs to no item.
        const isIt = ({ step = '', index }: Told) => index === item || step === `it${item}`
        const end = told.get(runId)?.findLast((one) => isIt(one) && one.event === 'step.finished')
        const { target } = targetOf(kind, wanted, scene)
        const isOwn = end?.status === 'succeeded'
        const id = isOwn ? idOf(end, kind, bench) : undefined
        if (isOwn)
          expect(`${place}: ${things(bench).find((one) => one.id === id)?.target ?? id}`).toBe(`${place}: ${target}`)
        history.push({ target, does: act.does, id })
      }
    }
    const made = history.filter(({ does, id }) => does === 'create' && id !== undefined).map(({ id }) => id)
    expect(made.filter((id, index) => made.indexOf(id) !== index)).toEqual([])
    for (const [target, all] of Map.groupBy(things(bench), (thing) => thing.target)) {
      const wanted = history.filter((one) => one.target === target)
      if (wanted.length === 0) continue
      const creates = wanted.filter(({ does }) => does === 'create').length
      const most = creates + Number(creates < wanted.length)
      expect(all.length, `${target} ${JSON.stringify(all)}`).toBeLessThanOrEqual(most)
    }
  }
}

interface Scene {
  readonly segments: Readonly<Record<'a' | 'b', string>>
  /** Only matches of these segments exist at the beginning: everything else was made by this state. */
  readonly matched: Readonly<Record<'a' | 'b', string>>
  readonly jobs: Readonly<Record<'a' | 'b', string>>
}

function prepared(bench: Bench): Scene {
  const { segment, match } = existing(bench)
  const matched = { a: segment('c'), b: segment('d') }
  bench.service.holdings.files.set('EMAIL/BGID/f.csv', new Set(['x']))
  const jobs = { a: match(matched.a, 'group 9001'), b: match(matched.b, 'partner 2001') }
  return { segments: { a: segment('a'), b: segment('b') }, matched, jobs }
}

/** What an item wants: its input, and its target in the notation of `things`. */
function targetOf(kind: Kind, { of, counterpart }: Item, { segments, matched, jobs }: Scene) {
  if (kind === 'segments') return { input: { name: `own ${of}` }, target: `segment own ${of}` }
  if (kind === 'matches') {
    const [name = '', id] = counterpart.split(' ')
    const fields = { segmentId: segments[of], [`${name}Id`]: Number(id) }
    return { input: { fields }, target: `match ${segments[of]} ${counterpart}` }
  }
  return { input: { segmentId: matched[of], job: jobs[of] }, target: `activation ${matched[of]}` }
}

function things({
  service: { holdings },
}: Bench): { readonly id: string; readonly job: string; readonly target: string }[] {
  const job = ({ jobs }: { readonly jobs: readonly { readonly id: string }[] }) => jobs[0]?.id ?? ''
  return [
    ...holdings.segments.map((one) => ({
      id: one.id,
      job: job(one),
      target: `segment ${one.fields.participantSegmentId}`,
    })),
    ...holdings.matches.map((one) => {
      const { segmentId, partnerId, groupId } = one.request
      const counterpart = groupId === undefined ? `partner ${partnerId}` : `group ${groupId}`
      return { id: one.id, job: job(one), target: `match ${segmentId} ${counterpart}` }
    }),
    ...holdings.activations.map(({ id, job: { id: jobId }, request }) => ({
      id,
      job: jobId,
      target: `activation ${request.segmentId}`,
    })),
  ]
}

/** The thing that a step reports as its own. */
function idOf({ outputs = {} }: Told, kind: Kind, bench: Bench): string | undefined {
  const { segmentId, matchId, activationId, jobId } = outputs
  const id = { segments: segmentId, matches: matchId, activations: activationId }[kind]
  const named = things(bench).find(
    (one) => one.target.startsWith(SINGULAR[kind]) && (one.id === String(id) || one.job === String(id)),
  )
  return named?.id ?? things(bench).find((one) => one.job === String(jobId))?.id ?? `none: ${JSON.stringify(outputs)}`
}

/**
 * A document that handles one item, or two at once: as items of a forEach if they have the same fields, otherwise as
 * two steps.
 */
function documentOf(kind: Kind, { does, waits, items }: Round['acts'][number], scene: Scene): string {
  const inputs = items.map((item) => targetOf(kind, item, scene).input)
  const withs = inputs.map((input) => {
    if ('name' in input)
      return {
        participantSegmentId: input.name,
        segmentName: input.name,
        segmentFileName: 'f.csv',
        uploadSignal: 'EMAIL',
        resultContent: 'BGID',
        providerId: 1001,
      }
    if ('fields' in input)
      return { ...input.fields, deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false }
    return {
      activationName: 'X',
      segmentId: input.segmentId,
      matchJobId: input.job,
      refreshRate: 30,
      actionType: 'REQUEST',
    }
  })
  const step = { uses: `${kind}.${does}`, ...(waits ? {} : { await: false }) }
  const [first = {}] = withs
  const keys = Object.keys(first)
  const isAlike = withs.length > 1 && withs.every((fields) => keys.every((key) => key in fields))
  const ofItem = Object.fromEntries(keys.map((key) => [key, `\${{ item.${key} }}`]))
  const steps = isAlike
    ? [{ ...step, id: 'it', forEach: { items: withs, maxParallel: 2 }, with: ofItem }]
    : withs.map((fields, index) => ({ ...step, id: `it${index}`, with: fields, needs: [] }))
  return `${JSON.stringify({ version: 1, name: 'NAME', steps }, undefined, 1)}\n`
}

function begin(bench: Bench, document: string, name: string): Command {
  const path = join(bench.folder, `${name}.yaml`)
  writeFileSync(path, document.replace('"NAME"', JSON.stringify(name)))
  return bench.start(['run', path, '--json'])
}

/**
 * Stops the first command when a request was applied or a person is asked (the command may have to wait for a person),
 * and resumes its run: beside the others, and beside its own late requests.
 */
async function resumed(
  bench: Bench,
  {
    first,
    begun,
    kind,
    request,
  }: { readonly first: Command; readonly begun: readonly Command[]; readonly kind: Kind; readonly request: number },
): Promise<Command> {
  let isOver = false
  void first.ended.finally(() => {
    isOver = true
  })
  const isAsked = () => begun.some((one) => one.text().includes('"event":"step.waiting"'))
  const before = bench.service.taken.length
  const applied = () =>
    bench.service.taken.slice(before).filter(({ operation }) => operation === `${kind}.create`).length
  while (!isOver && !isAsked() && applied() < request) await sleep(2)
  first.stop()
  await first.ended
  const [{ runId = '' } = {}] = eventsOf(first)
  return { ...bench.start(['runs', 'resume', runId, '--json']), runId }
}
