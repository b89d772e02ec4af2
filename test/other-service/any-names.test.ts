import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { stepRun } from '../steps/support/step-run.ts'
import { tries } from '../support/tries.ts'
import { turnClock, useTurnClock } from '../support/turn-clock.ts'
import { placeOf } from './files.ts'
import type { Form } from './forms.ts'
import { type OtherService, startOtherService } from './other-service.ts'
import { servicesAt } from './services-at.ts'
import type { Loss, LossKind, Ways } from './ways.ts'

useTurnClock()

/*
 * For any form in which a service stores names, any delay of its lists, any names beside an id, and any lost answers:
 * in three nights nothing is made twice, no step succeeds without its thing, and when a night has made a thing, the
 * next nights do not request another one.
 */

const LIVES = tries(75, 2000)
/** The number of cases that run at the same time, so that they share the waiting time. */
const AT_ONCE = 200
const MOST_TURNS = 8
const NEVER = Number.POSITIVE_INFINITY
const AWAIT = {
  timeoutMs: 60_000,
  approvalTimeoutMs: 60_000,
  poll: { initialMs: 500, maxMs: 5000 },
  accept: ['SUCCESS'],
}
const seed = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31))

const KINDS = ['segments', 'matches', 'activations'] as const
type Kind = (typeof KINDS)[number]

const forms = fc.constantFrom<Form[]>('asSent', 'trimmed', 'collapsed', 'NFC', 'NFD', 'lowerCase')
const names = fc.constantFrom('autos', ' Autos ', 'Auto  Buyers', 'Ka\u0308ufer', 'K\u00e4ufer ', ' A\u0308  b')
const listedAfter = fc.constantFrom(0, 0, 700, 5000, NEVER)

const ways: fc.Arbitrary<Partial<Ways>> = fc.record({
  keeps: fc.record({ segments: forms, activations: forms }),
  filterForm: fc.constantFrom('asSent', 'kept'),
  filters: fc.constantFrom('kept', 'kept', 'kept', 'ignored'),
  matchNames: fc.constantFrom('atCreation', 'current', 'stale'),
  listedAfterMs: fc.record({ segments: listedAfter, matches: listedAfter, activations: listedAfter }),
  crowd: fc.constantFrom(0, 3),
  order: fc.constantFrom('oldest', 'newest'),
  matchId: fc.constantFrom('jobId', 'own'),
  approver: fc.constantFrom('group', 'member', 'null'),
  unnamedReads: fc.constantFrom(0, 2),
  duplicate: fc.constantFrom({ status: 400, body: '' }, { status: 409, body: 'no' }),
})

const losses = fc.array(
  fc.record<Loss>({
    operation: fc.constantFrom(
      'segments.create',
      'matches.create',
      'activations.create',
      'segments.update',
      'segments.refresh',
      'matches.refresh',
    ),
    how: fc.constantFrom<LossKind[]>('resetBefore', 'errorBefore', 'resetAfter', 'errorAfter', 'emptyAfter'),
  }),
  { maxLength: 3 },
)

const lives = fc.record({
  ways,
  identifier: names,
  segmentName: names,
  activationName: names,
  campaignName: names,
  /** The operations of the first night; later nights use `ensure`. */
  first: fc.record({ segments: does(), matches: does(), activations: does() }),
  /** Whether the second night has another name and file. */
  changes: fc.boolean(),
  losses: fc.tuple(losses, losses, losses),
  /** The time until the next night: longer than a job may take, or not. */
  restMs: fc.constantFrom(0, 2 * AWAIT.timeoutMs),
})
type Life = typeof lives extends fc.Arbitrary<infer T> ? T : never

function does() {
  return fc.constantFrom('create', 'ensure')
}

test('nothing is made twice, and nothing is missing, whatever a service does with names and lists', async () => {
  const all = fc.sample(lives, { numRuns: LIVES, seed })
  const broken: string[] = []
  for (let first = 0; first < all.length; first += AT_ONCE) {
    const some = all.slice(first, first + AT_ONCE)
    const ends = await Promise.all(some.map(breachOf))
    broken.push(
      ...ends.flatMap((end, index) => (end === undefined ? [] : [`${end}, in ${JSON.stringify(some[index])}`])),
    )
  }
  expect(broken, `SOAK_SEED=${seed}`).toEqual([])
})

/** The problem after a step; undefined if there is none. */
async function breachOf(life: Life): Promise<string | undefined> {
  const service = await startOtherService({ ways: life.ways, now: turnClock.now })
  const services = servicesAt(service, '')
  for (const file of ['a.csv', 'B.csv']) service.holdings.files.set(placeOf('EMAIL', 'BGID', file), new Set([file]))
  const made = new Set<Kind>()
  const hidden = new Set<Kind>()
  try {
    for (const [night, lost] of life.losses.entries()) {
      for (const loss of lost) service.lose(loss)
      for (const kind of KINDS) if (isHidden(kind, life, lost)) hidden.add(kind)
      const outputs: Partial<Record<Kind, JsonObject>> = {}
      for (const kind of KINDS) {
        const before = creationsOf(kind, service)
        const end = await endOf(kind, night, life, outputs, { service, services })
        const count = countOf(kind, life, service)
        if (count > 1) return `night ${night}: there are ${count} ${kind}`
        if (made.has(kind) && creationsOf(kind, service) > before) return `night ${night}: ${kind} are asked for again`
        if (typeof end === 'string') {
          if (!hidden.has(kind)) return `night ${night}: ${kind}: ${end}`
          break
        }
        if (count === 0) return `night ${night}: ${kind}: succeeded without it`
        made.add(kind)
        outputs[kind] = end
      }
      service.forgive()
      await turnClock.sleep(life.restMs)
    }
    return undefined
  } finally {
    await services.api.close()
    await service.close()
  }
}

/** The final outputs of a step, or why it has none. A person who is asked looks at the service. */
async function endOf(
  kind: Kind,
  night: number,
  life: Life,
  outputs: Partial<Record<Kind, JsonObject>>,
  { service, services }: { readonly service: OtherService; readonly services: StepServices },
): Promise<JsonObject | string> {
  const verb = night === 0 ? life.first[kind] : 'ensure'
  const run = stepRun(`${kind}.${verb}`, inputOf(kind, night, life, outputs), services, {
    ...{ stepId: kind, runId: `night-${night}`, await: AWAIT },
  })
  let why = ''
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    try {
      return await run.go()
    } catch (error) {
      if (!(error instanceof AudienceError)) throw error
      why = `${error.code}: ${error.message}`
      if (error instanceof NeedsPersonError) run.decide(isDone(error, kind, night, life, service) ? 'done' : 'again')
      else run.retry(error)
    }
  }
  return why
}

function inputOf(
  kind: Kind,
  night: number,
  life: Life,
  { segments, matches }: Partial<Record<Kind, JsonObject>>,
): JsonObject {
  const isChanged = life.changes && night > 0
  const segmentId = String(segments?.segmentId)
  switch (kind) {
    case 'segments':
      return {
        segmentFileName: isChanged ? 'B.csv' : 'a.csv',
        participantSegmentId: life.identifier,
        segmentName: isChanged ? `New ${life.segmentName}` : life.segmentName,
        ...{ uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 },
      }
    case 'matches':
      return { segmentId, groupId: '9001', deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false }
    case 'activations': {
      const { activationName, campaignName } = life
      const matchJobId = String(matches?.matchJobId)
      return { activationName, campaignName, segmentId, matchJobId, refreshRate: 30, actionType: 'REQUEST' }
    }
  }
}

function countOf(kind: Kind, { ways: { crowd = 0 } }: Life, { holdings }: OtherService): number {
  return holdings[kind].length - crowd
}

const creationsOf = (kind: Kind, { taken }: OtherService) =>
  taken.filter(({ operation }) => operation === `${kind}.create`).length

/** If no list shows a thing and its answer was lost, nobody can say that it exists. */
function isHidden(kind: Kind, { ways: { listedAfterMs } }: Life, lost: readonly Loss[]): boolean {
  return listedAfterMs?.[kind] === NEVER && lost.some(({ operation }) => operation === `${kind}.create`)
}

/** What a person who looks at the service sees. */
function isDone({ message }: Error, kind: Kind, night: number, life: Life, service: OtherService): boolean {
  if (!message.includes('refresh')) return countOf(kind, life, service) > 0
  const { segmentFileName } = inputOf('segments', night, life, {})
  return kind === 'segments' && service.holdings.segments.at(-1)?.fields.segmentFileName === segmentFileName
}
