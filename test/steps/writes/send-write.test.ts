import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import type { MadeThing } from '../../../src/state/made-things.ts'
import { madeFor } from '../../../src/steps/made-for.ts'
import type { ReconciledId } from '../../../src/steps/writes/reconciler.ts'
import { sendWrite } from '../../../src/steps/writes/send-write.ts'
import { freeClaims } from '../support/free-claims.ts'
import { stillService } from '../support/still-service.ts'

const SEGMENT = { participantSegmentId: 'autos', segmentName: 'Autos' }
const MATCH = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const ACTIVATION = { activationName: 'Autos', segmentId: 's', matchJobId: 'm' }

/** Sends a write to a service that gives this answer. `failsAt`: the note that the state refuses, counted from 1. */
function sent(
  operation: ReconciledId,
  input: JsonObject,
  { answer, failsAt }: { answer: JsonObject; failsAt?: number },
) {
  const { api, made, ...service } = stillService({})
  const { signal } = service
  const told: string[] = []
  const context = {
    ...{ runId: 'r', stepKey: 's', stepId: 's', attempt: 1, pipeline: 'p', signal },
    once: (_: string, effect: (signal: AbortSignal) => unknown) => effect(signal),
    wait: (_: string, begin: (wait: object) => unknown) => begin({ signal, report: () => undefined }),
    assertOwned: () => undefined,
  }
  const call = async () => {
    told.push('sent')
    return answer
  }
  const note = async (thing: MadeThing) => {
    if (told.push('noted') === failsAt) throw new Error('the disk is full')
    await made.note(thing)
  }
  const services = {
    ...{ ...service, claims: freeClaims, made: { ...made, note } },
    api: { ...api, segments: { get: async () => ({}) }, untyped: { call } },
  }
  return { told, made, end: sendWrite({ operation, input, maxWaitMs: 1 } as never, { context, services } as never) }
}

test.each<[ReconciledId, JsonObject, JsonObject, object]>([
  ['segments.create', SEGMENT, { id: '5', segmentId: '7' }, { job: '5', id: '7' }],
  ['activations.create', ACTIVATION, { id: '5', activationId: '7' }, { job: '5', id: '7' }],
  // The job of a match may name a different id from the one that lists show.
  ['matches.create', MATCH, { id: '5', matchId: '7' }, { job: '5', id: undefined }],
  ['matches.create', MATCH, { matchId: '7' }, { job: undefined, id: '7' }],
])('of what %s made, the job and the id are noted that lists show: %j %j', async (operation, input, answer, ids) => {
  const { made, end } = sent(operation, input, { answer })
  await end
  const { kind = 'segment', name = '' } = madeFor(operation, input) ?? {}
  expect((await made.named(kind, name)).map(({ job, id }) => ({ job, id }))).toEqual([ids])
})

test.each([
  [1, ['noted']],
  [3, ['noted', 'sent', 'noted']],
])(
  'what a write makes is noted before it is sent, and before its answer counts: the disk is full at %s',
  async (failsAt, done) => {
    const { told, end } = sent('segments.create', SEGMENT, { answer: { id: '5' }, failsAt })
    await expect(end).rejects.toThrow('the disk is full')
    expect(told).toEqual(done)
  },
)
