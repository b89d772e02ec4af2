import type { Segment } from '../../contract/segments.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Forecast, ForecastQuestion } from '../../pipeline/forecast.ts'
import { decideSegment, metadataOf } from '../decide-segment.ts'
import { findOwnSegment } from '../find-own-segment.ts'
import { memoryKey } from '../memory-key.ts'
import type { SegmentsEnsureInput } from '../segments-ensure-schema.ts'
import type { ForecastDeps } from './forecast-deps.ts'
import { requestOf } from './request-of.ts'

/** Forecasts what `segments.ensure` would do now. */
export async function forecastSegment(question: ForecastQuestion, deps: ForecastDeps): Promise<Forecast> {
  // The loader and the engine's check apply to forecast and run alike; they report what does not fit.
  const input = question.input as unknown as SegmentsEnsureInput
  const remembered = deps.stepMemory.get(memoryKey(question, deps, input.participantSegmentId))
  const segment = await findOwnSegment(input.participantSegmentId, remembered, deps)
  const plan = decideSegment(input, segment, remembered)
  if (plan.action === 'created') {
    const { refresh: _refresh, ...fields } = question.input
    const why = 'no segment has this participantSegmentId'
    return { action: 'create', why, requests: [requestOf('segments.create', fields)], outputs: {}, complete: false }
  }
  const { segmentId: id, changed } = plan
  const update = plan.update ? [requestOf('segments.update', { id, ...metadataOf(input) })] : []
  const outputs = { ...outputsOf(segment), segmentId: id, changed: [...changed] }
  switch (plan.action) {
    case 'unchanged':
      return { action: 'leave', requests: [], outputs: { ...outputs, action: 'unchanged' }, complete: true }
    case 'updated':
      return { action: 'update', changed, requests: update, outputs: { segmentId: id }, complete: false }
    case 'refreshed': {
      const refresh = requestOf('segments.refresh', { id, segmentFileName: input.segmentFileName })
      const why =
        input.refresh === 'always' ? '`refresh: always`' : 'its file is another than the one it was built from'
      return {
        action: 'refresh',
        why,
        changed,
        requests: [...update, refresh],
        outputs: { segmentId: id },
        complete: false,
      }
    }
  }
}

function outputsOf(segment: Segment | undefined): JsonObject {
  return segment ? { ...segment } : {}
}
