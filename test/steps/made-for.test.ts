import { expect, test } from 'vitest'
import type { OperationId } from '../../src/contract/operations.ts'
import { madeFor } from '../../src/steps/made-for.ts'

test.each<[OperationId, object, object | undefined]>([
  ['segments.create', { participantSegmentId: 'p', segmentName: 'n' }, { kind: 'segment', name: 'p' }],
  ['matches.create', { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }, { kind: 'match', name: 's' }],
  ['activations.create', { activationName: 'a', segmentId: 's', matchJobId: 'm' }, { kind: 'activation', name: 'a' }],
  ['segments.refresh', { id: 's', segmentName: 'n' }, undefined],
  ['matches.refresh', { matchId: 'm', segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }, undefined],
  ['activations.delete', { id: 'a', activationName: 'a' }, undefined],
])('%s makes something, or nothing', (operation, input, made) => {
  const found = madeFor(operation, input as Parameters<typeof madeFor>[1])
  if (made === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(made)
})
