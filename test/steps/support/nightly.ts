import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Forecast } from '../../../src/pipeline/step-plan.ts'
import { createForecast } from '../../../src/steps/index.ts'
import type { StepBench } from './step-bench.ts'
import { type StepRun, stepRun } from './step-run.ts'

/** The four steps of the nightly pipeline, one at a time or all. */
export interface Nightly {
  /** Uploads and returns the name. */
  upload(content: string): Promise<string>
  segment(segmentFileName: string, more?: JsonObject): StepRun
  match(segmentId: unknown, more?: JsonObject): StepRun
  activate(segmentId: unknown, matchJobId: unknown, runId?: string): StepRun
  /** All of them. `more`: further inputs of the segment. */
  whole(
    content: string,
    more?: JsonObject,
  ): Promise<{ segment: JsonObject; match: JsonObject; activation: JsonObject; actions: string }>
  /** The plan of one step. */
  plan(step: { readonly stepId: string; readonly uses: string; readonly input: JsonObject }): Promise<Forecast>
  /** The numbers of segments, matches and activations at the service. */
  counts(): Promise<readonly number[]>
}

export function nightly({ service, services, api }: StepBench): Nightly {
  const forecast = createForecast({ ...services, api, signal: new AbortController().signal })
  const steps: Nightly = {
    async upload(content) {
      const file = join(service.dataDir, 'autos.csv')
      await writeFile(file, content)
      const input = { file, uploadSignal: 'EMAIL', resultContent: 'BGID', precheck: { minimumShare: 0 } }
      return String((await stepRun('files.upload', input, services, { stepId: 'upload' }).go()).name)
    },
    segment: (segmentFileName, more) =>
      stepRun('segments.ensure', { ...segmentInput(segmentFileName), ...more }, services, { stepId: 'segment' }),
    match: (segmentId, more) =>
      stepRun('matches.ensure', { ...matchInput(segmentId), ...more }, services, { stepId: 'match' }),
    activate: (segmentId, matchJobId, runId = 'run-1') =>
      stepRun('activations.ensure', activationInput(segmentId, matchJobId), services, { stepId: 'activate', runId }),
    async whole(content, more) {
      const segment = await steps.segment(await steps.upload(content), more).go()
      const match = await steps.match(segment.segmentId).go()
      const activation = await steps.activate(segment.segmentId, match.matchJobId).go()
      return { segment, match, activation, actions: [segment.action, match.action, activation.action].join(' ') }
    },
    plan: (step) => forecast({ ...step, pipeline: 'nightly', stepKey: step.stepId, unknown: [], rebuilt: new Set() }),
    async counts() {
      const lists = await Promise.all([
        Array.fromAsync(api.items('segments.list', {})),
        Array.fromAsync(api.items('matches.list', {})),
        Array.fromAsync(api.items('activations.list', {})),
      ])
      return lists.map((list) => list.length)
    },
  }
  return steps
}

export const segmentInput = (segmentFileName: string): JsonObject => ({
  segmentFileName,
  participantSegmentId: 'autos',
  segmentName: 'Autos',
  uploadSignal: 'EMAIL',
  resultContent: 'BGID',
  providerId: 1001,
})

export const matchInput = (segmentId: unknown): JsonObject => ({
  segmentId: String(segmentId),
  groupId: '9001',
  deliveryScopes: ['CABLE'],
  shareSegmentName: false,
  accessBgIds: false,
})

export const activationInput = (segmentId: unknown, matchJobId: unknown): JsonObject => ({
  activationName: 'Autos Q4',
  segmentId: String(segmentId),
  matchJobId: String(matchJobId),
  refreshRate: 30,
  actionType: 'REQUEST',
})

/** A file with this many people of the group. */
export const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index} 2001 CABLE`).join('\n')
