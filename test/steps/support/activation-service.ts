import type { Activation } from '../../../src/contract/activations.ts'
import { activationKey } from '../../../src/steps/activation-memory.ts'
import { answeringService } from './answering-service.ts'

/** An activation that a step wants, and what the step remembers about it. */
export const INPUT = {
  ...{ activationName: 'Autos', segmentId: 's', matchJobId: 'm', brand: 'B' },
  ...({ refreshRate: 30, actionType: 'REQUEST' } as const),
}
export const SENT = { refreshRate: 30, actionType: 'REQUEST', brand: 'B' }
export const PLACE = { pipeline: 'nightly', stepId: 'it' }
export const activation = (ActivationId: string, own: object = {}): Activation => ({
  ...{ ActivationId, ActivationName: 'Autos', Status: 'Activated', brand: 'B' },
  ...own,
})
const JOBS = [
  { id: 'm', status: 'SUCCESS', matchId: '7' },
  { id: '5', status: 'SUCCESS', activationId: '2' },
] as const
export const KNOWN = { segmentId: 's', matchId: '7', sent: SENT, state: 'known', activationId: '1' }

/** A service where activations 1 and 2 can be read, and these are listed; the step remembers this. */
export async function activationService(
  remembered: object | undefined,
  answers: Parameters<typeof answeringService>[1] = {},
  ...listed: readonly Activation[]
) {
  const activations = { 1: activation('1'), 2: activation('2') }
  const service = answeringService({ jobs: JOBS, activations, listed: { 'activations.list': listed } }, answers)
  const key = activationKey(INPUT, PLACE, service)
  if (remembered) await service.stepMemory.set(key, { ...remembered })
  return { ...service, memory: () => service.stepMemory.get(key) }
}
