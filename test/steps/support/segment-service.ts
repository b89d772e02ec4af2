import type { Job } from '../../../src/contract/job.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { memoryKey } from '../../../src/steps/memory-key.ts'
import { buildOf } from '../../../src/steps/segment-build.ts'
import { answeringService } from './answering-service.ts'

/** A segment that a step wants, what the service shows, and what the step remembers. */
export const INPUT = {
  ...{ participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv', cpm: 2 },
  ...({ uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 } as const),
}
export const SHOWN = { id: 's', participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv', cpm: 2 }
export const METADATA = { segmentName: 'Autos', cpm: 2 }
export const PLACE = { pipeline: 'nightly', stepId: 'it' }
/** Of any pipeline and step. */
export const WORK = { profile: 'test', pipeline: '', step: 'work on autos' }
export const SHARES = { profile: 'test', pipeline: '', step: 'shares of s' }
const MADE: Job = { id: '5', status: 'SUCCESS', segmentId: 's' }
const STARTED = {
  'segments.create': { id: '5', status: 'PENDING' },
  'segments.refresh': { id: '5', status: 'PENDING' },
}

/** A service with this segment, if any; the step remembers this. */
export async function segmentService(
  shows: object | undefined,
  answers: Parameters<typeof answeringService>[1] = {},
  remembered?: JsonObject,
) {
  const segment = { ...SHOWN, ...shows }
  const listed = { 'segments.list': shows ? [segment] : [] }
  const service = answeringService({ jobs: [MADE], segments: { s: segment }, listed }, { ...STARTED, ...answers })
  const key = memoryKey(PLACE, service, 'autos')
  if (remembered) await service.stepMemory.set(key, remembered)
  return {
    ...service,
    memory: () => service.stepMemory.get(key),
    work: () => service.stepMemory.get(WORK),
    build: () => buildOf({ id: 's' }, service),
  }
}
