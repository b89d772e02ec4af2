import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/adapter/api-error.ts'
import type { Outcome } from '../../../src/core/errors.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { ReconciledId } from '../../../src/steps/writes/reconciler.ts'
import { sendWrite, withRepeated } from '../../../src/steps/writes/send-write.ts'
import { freeClaims } from '../support/free-claims.ts'
import { stillService } from '../support/still-service.ts'

const failed = (status: number, outcome: Outcome = 'rejected') =>
  new ApiError(
    { operation: 'x', method: 'POST', path: '/x' },
    { code: status < 500 ? 'rejected' : 'service-error', outcome, status },
  )
const LOST = failed(503, 'unknown')
const REFUSED = failed(400)
const UNSENT = failed(503, 'notSent')
const FORBIDDEN = failed(403)
const ANSWER = { id: '5' }

const SEGMENT = { participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv' }
const SHOWN = { id: 's', ...SEGMENT }
const MATCH = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const ACTIVATION = { activationName: 'Autos', segmentId: 's', matchJobId: 'm' }
const SHARE = { segmentId: 's', partnerId: 5 }

interface Told {
  /** What happens to each request in turn; the last entry also applies to all later requests. */
  readonly answers: readonly (object | Error)[]
  readonly shownFromMs?: number
  readonly wasThere?: boolean
  readonly maxWaitMs?: number
  /** How long ago an earlier run sent it. */
  readonly sentBeforeMs?: number
  readonly decision?: 'done'
  /** The names of the records of an earlier process. */
  readonly recorded?: Readonly<Record<string, JsonObject>>
}

/** Sends a write. Returns when it was sent, what was looked up, and the result. */
async function sent(operation: ReconciledId, input: JsonObject, told: Told) {
  const { answers, shownFromMs = Number.POSITIVE_INFINITY, wasThere = false, recorded = {}, decision } = told
  const service = stillService({})
  const { clock, signal, made } = service
  const sentAt: number[] = []
  const looks: object[] = []
  const shows = () => (sentAt.length === 0 ? wasThere : clock.steady() >= shownFromMs)
  const call = async () => {
    const answer = answers[Math.min(sentAt.length, answers.length - 1)]
    sentAt.push(clock.steady())
    if (answer instanceof Error) throw answer
    return answer
  }
  async function* items(list: string) {
    if (shows() && list === 'segments.list') yield SHOWN
  }
  const get = async () => ({ ...SHOWN, segmentFileName: shows() ? SEGMENT.segmentFileName : 'old.csv' })
  const known = new Map(Object.entries(recorded))
  const context = {
    ...{ runId: 'r', stepKey: 'k', stepId: 'k', attempt: 2, pipeline: 'p', signal, decision },
    once: async (name: string, effect: (signal: AbortSignal) => Promise<unknown>) => {
      const value = known.get(name) ?? (await effect(signal))
      known.set(name, value as JsonObject)
      return value
    },
    wait: (_: string, begin: (wait: object) => unknown) => begin({ signal, report: () => undefined }),
    assertOwned: () => undefined,
    report: (look: object) => looks.push(look),
  }
  const api = { ...service.api, items, segments: { get }, untyped: { call } }
  const services = { ...service, api, claims: freeClaims }
  const sentBeforeAt = told.sentBeforeMs === undefined ? undefined : clock.now() - told.sentBeforeMs
  const write = { operation, input, maxWaitMs: told.maxWaitMs ?? 3_600_000, sentBeforeAt }
  const end = await sendWrite(write as never, { context, services } as never).catch((error: unknown) => error)
  return { end, sentAt, looks, endedAt: clock.steady(), made: await made.named('segment', 'autos') }
}

const create = (told: Told) => sent('segments.create', SEGMENT, told)

describe('a segment', () => {
  test('whose answer arrives is not looked for', async () => {
    const { end, sentAt, looks, made } = await create({ answers: [ANSWER] })
    expect(end).toMatchObject({ answer: ANSWER, repeated: false })
    expect([sentAt, looks, made.map(({ job }) => job)]).toEqual([[0], [], ['5']])
  })

  test('whose answer is lost is looked for, and found by its identifier', async () => {
    const { end, sentAt, looks, made, endedAt } = await create({ answers: [LOST], shownFromMs: 5000 })
    expect(end).toMatchObject({ answer: { segmentId: 's' }, repeated: false })
    expect([sentAt, made.map(({ id }) => id)]).toEqual([[0], ['s']])
    expect(endedAt).toBeLessThan(6000)
    const lookedFor = 'a segment with participantSegmentId "autos"'
    const { message: why } = LOST
    expect(looks).toEqual([{ kind: 'look', operation: 'segments.create', why, lookedFor, upToMs: 15_000 }])
  })

  test('that does not show is sent again, each time after twice as long, until a person decides', async () => {
    const { end, sentAt, looks, endedAt } = await create({ answers: [LOST] })
    expect(sentAt).toEqual([0, 15_000, 45_000, 105_000])
    expect([endedAt, looks.map((look) => 'upToMs' in look && look.upToMs)]).toEqual([
      225_000,
      [15_000, 30_000, 60_000, 120_000],
    ])
    expect(end).toMatchObject({ code: 'outcome-unknown', message: expect.stringContaining('it is not there (yet)') })
  })

  test('that is sent again and answered is not one that may be there twice', async () => {
    const { end, sentAt } = await create({ answers: [LOST, ANSWER] })
    expect(end).toMatchObject({ answer: ANSWER, repeated: false })
    expect(sentAt).toEqual([0, 15_000])
  })

  test('that is refused after a lost answer is looked for once more, and then sent again', async () => {
    const { end, sentAt, looks } = await create({ answers: [LOST, REFUSED, ANSWER] })
    expect(end).toMatchObject({ answer: ANSWER })
    expect(sentAt).toEqual([0, 15_000, 45_000])
    expect(looks[1]).toMatchObject({ why: `the request ${REFUSED.message}, and an earlier one got no answer` })
  })

  test('that is refused again and again fails when the step has waited as long as it may', async () => {
    const { end, sentAt, endedAt } = await create({ answers: [LOST, REFUSED], maxWaitMs: 60_000 })
    expect(end).toMatchObject({
      code: 'job-timeout',
      message: `step "k": an answer to segments.create was lost, the service refuses a second request (${REFUSED.message}), and does not show a segment with participantSegmentId "autos"`,
    })
    expect([sentAt, endedAt]).toEqual([[0, 15_000, 45_000], 60_000])
  })

  test('that is refused is not sent once more when the time is over', async () => {
    const { end, sentAt, endedAt } = await create({ answers: [LOST, REFUSED], maxWaitMs: 45_000 })
    expect([sentAt, endedAt]).toEqual([[0, 15_000], 45_000])
    expect(end).toMatchObject({ code: 'job-timeout' })
  })

  test('that is refused and shows in the last moment is found', async () => {
    const { end, endedAt } = await create({ answers: [LOST, REFUSED], maxWaitMs: 60_000, shownFromMs: 60_000 })
    expect([end, endedAt]).toEqual([expect.objectContaining({ answer: { segmentId: 's' } }), 60_000])
  })

  test('whose identifier was taken is refused for good', async () => {
    const { end, sentAt } = await create({ answers: [LOST, REFUSED], wasThere: true })
    expect([end, sentAt]).toEqual([REFUSED, [0, 15_000]])
  })

  test('that may not be sent any more after a lost answer fails, and says what is not known', async () => {
    const { end, made } = await create({ answers: [LOST, FORBIDDEN] })
    expect(end).toMatchObject({
      code: FORBIDDEN.code,
      message: `${FORBIDDEN.message}; an earlier request got no answer, so whether it took effect is not known`,
    })
    expect(end).not.toHaveProperty('request')
    expect(made).toHaveLength(1)
  })

  test.each([
    ['is refused', REFUSED],
    ['is forbidden', FORBIDDEN],
    ['cannot be sent', UNSENT],
  ])('that %s at first fails, and is forgotten', async (_, error) => {
    expect(await create({ answers: [error] })).toMatchObject({ end: error, sentAt: [0], looks: [], made: [] })
  })

  test('that cannot be sent again after a lost answer is not forgotten', async () => {
    const { end, made } = await create({ answers: [LOST, UNSENT] })
    expect([end, made.length]).toEqual([UNSENT, 1])
  })

  test('is not forgotten for an error that says nothing about the request', async () => {
    const error = new Error('the disk is full')
    const { end, made } = await create({ answers: [error] })
    expect([end, made.length]).toEqual([error, 1])
  })

  test('that an earlier run may have made is looked for if it is refused', async () => {
    const { end, sentAt } = await create({ answers: [REFUSED], sentBeforeMs: 0, shownFromMs: 5000 })
    expect(end).toMatchObject({ answer: { segmentId: 's' } })
    expect(sentAt).toEqual([0])
  })

  test('that an earlier run sent so long ago that it would show is looked for once, and else refused', async () => {
    const told = { answers: [REFUSED], sentBeforeMs: 60_000, maxWaitMs: 60_000 }
    expect(await create({ ...told, shownFromMs: 0 })).toMatchObject({
      end: { answer: { segmentId: 's' } },
      sentAt: [0],
    })
    expect(await create(told)).toMatchObject({ end: REFUSED, sentAt: [0], looks: [], made: [], endedAt: 0 })
    expect(await create({ ...told, sentBeforeMs: 59_000 })).toMatchObject({ end: REFUSED, sentAt: [0, 1000] })
  })

  test('that an earlier run may have sent fails otherwise as any other', async () => {
    const forbidden = await create({ answers: [FORBIDDEN], sentBeforeMs: 0 })
    expect(forbidden).toMatchObject({ end: { message: expect.stringContaining('an earlier request') }, made: [] })
    expect(await create({ answers: [UNSENT], sentBeforeMs: 0 })).toMatchObject({ end: UNSENT, made: [] })
  })

  const intent = { operation: 'segments.create', input: SEGMENT, before: { ids: [] }, key: 'r k', attempt: 1 }

  test('that an earlier process was about to send is looked for before it is sent', async () => {
    const { sentAt, looks } = await create({ answers: [ANSWER], recorded: { intent } })
    expect([sentAt, looks]).toMatchObject([[15_000], [{ why: 'it is not known whether it was sent before' }]])
  })

  test('that an earlier process was about to send again is looked for before it is sent once more', async () => {
    const again1 = { operation: 'segments.create' }
    const { sentAt, looks } = await create({
      answers: [ANSWER],
      recorded: { intent, found: { state: 'notDone' }, again1 },
    })
    expect([sentAt, looks.length]).toEqual([[30_000], 1])
  })

  test('that a person says was done is never sent again', async () => {
    const { end, sentAt } = await create({ answers: [ANSWER], recorded: { intent }, decision: 'done' })
    expect(end).toMatchObject({ message: expect.stringContaining('you said that it was done') })
    expect(sentAt).toEqual([])
    const fresh = await create({ answers: [ANSWER], decision: 'done' })
    expect([fresh.end, fresh.sentAt]).toEqual([expect.objectContaining({ answer: ANSWER }), [0]])
  })
})

describe('what is sent once more at the most', () => {
  const share = (told: Told) => sent('segments.share', SHARE, told)
  const refresh = (told: Told) => sent('segments.refresh', { id: 's', segmentFileName: 'a.csv' }, told)

  test('and does not show is sent again at once, and may have been done twice', async () => {
    const { end, sentAt } = await share({ answers: [LOST, ANSWER] })
    expect(end).toMatchObject({ answer: ANSWER, repeated: true })
    expect(withRepeated({ x: 1 }, end as never)).toEqual({ x: 1, repeated: true })
    expect(sentAt).toEqual([0, 0])
  })

  test('is for a person when that answer is lost, too', async () => {
    const { end, sentAt, endedAt } = await share({ answers: [LOST] })
    expect(end).toMatchObject({ code: 'outcome-unknown' })
    expect([sentAt, endedAt]).toEqual([[0, 0], 0])
  })

  test('and is refused then is sent again after a while', async () => {
    const { sentAt } = await share({ answers: [LOST, REFUSED, REFUSED, ANSWER] })
    expect(sentAt).toEqual([0, 0, 30_000, 90_000])
  })

  test('may have been done twice only if it was sent twice', async () => {
    const once = await refresh({ answers: [LOST], shownFromMs: 5000 })
    expect([once.end, once.sentAt]).toEqual([expect.objectContaining({ repeated: false }), [0]])
    expect(withRepeated({ x: 1 }, once.end as never)).toEqual({ x: 1 })
    const twice = await refresh({ answers: [LOST], shownFromMs: 20_000 })
    expect([twice.end, twice.sentAt]).toEqual([expect.objectContaining({ repeated: true }), [0, 15_000]])
  })
})

describe('what is never sent again', () => {
  test.each([
    ['activations.create', ACTIVATION, 15_000],
    // As long as the result of a job may take to become visible.
    ['matches.create', MATCH, 30_000],
  ] as const)('%s is for a person', async (operation, input, afterMs) => {
    const { end, sentAt, endedAt } = await sent(operation, input, { answers: [LOST] })
    expect(end).toMatchObject({ code: 'outcome-unknown', message: expect.stringContaining('not there (yet)') })
    expect([sentAt, endedAt]).toEqual([[0], afterMs])
  })

  test('is looked for as long as the step waits if it was refused', async () => {
    for (const maxWaitMs of [10_000, 70_000]) {
      const told = { answers: [REFUSED], sentBeforeMs: 0, maxWaitMs }
      const { end, endedAt } = await sent('activations.create', ACTIVATION, told)
      expect(end).toMatchObject({ message: expect.stringContaining('and the second request') })
      expect(endedAt).toBe(maxWaitMs)
    }
  })
})
