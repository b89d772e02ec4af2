import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/json.ts'
import { madeFor } from '../../../src/steps/made-for.ts'
import type { ReconciledId } from '../../../src/steps/writes/reconciler.ts'
import { sendWrite } from '../../../src/steps/writes/send-write.ts'
import { freeClaims } from '../support/free-claims.ts'
import { stillService } from '../support/still-service.ts'

const SEGMENT = { participantSegmentId: 'autos', segmentName: 'Autos' }
const MATCH = { segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] }
const ACTIVATION = { activationName: 'Autos', segmentId: 's', matchJobId: 'm' }

/** What is noted of the thing that a request made, whose answer was this. */
async function noted(operation: ReconciledId, input: JsonObject, answer: JsonObject) {
  const { api, ...service } = stillService({})
  const { signal } = service
  const context = {
    ...{ runId: 'r', stepKey: 's', stepId: 's', attempt: 1, pipeline: 'p', signal },
    once: (_: string, effect: (signal: AbortSignal) => unknown) => effect(signal),
    wait: (_: string, begin: (wait: object) => unknown) => begin({ signal, report: () => undefined }),
    assertOwned: () => undefined,
  }
  const answering = { ...api, segments: { get: async () => ({}) }, untyped: { call: async () => answer } }
  const services = { ...service, api: answering, claims: freeClaims }
  await sendWrite({ operation, input, maxWaitMs: 1 } as never, { context, services } as never)
  const { kind = 'segment', name = '' } = madeFor(operation, input) ?? {}
  return (await service.made.named(kind, name)).map(({ job, id }) => ({ job, id }))
}

test.each<[ReconciledId, JsonObject, JsonObject, object]>([
  ['segments.create', SEGMENT, { id: '5', segmentId: '7' }, { job: '5', id: '7' }],
  ['activations.create', ACTIVATION, { id: '5', activationId: '7' }, { job: '5', id: '7' }],
  // The job of a match may name another id than lists show.
  ['matches.create', MATCH, { id: '5', matchId: '7' }, { job: '5', id: undefined }],
  ['matches.create', MATCH, { matchId: '7' }, { job: undefined, id: '7' }],
])('of what %s made, the job and the id are noted that lists show: %j %j', async (operation, input, answer, ids) => {
  expect(await noted(operation, input, answer)).toEqual([ids])
})
