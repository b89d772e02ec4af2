import type { ApiClient } from '../../src/adapter/api-client.ts'
import { createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import { createSecrets } from '../../src/core/secrets.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/logger.ts'
import type { ReadyService } from './audience.ts'
import { segmentStep } from './segment-step.ts'

/** A segment from the file of the step `upload`, named by the input `name`. */
export const SEGMENT_STEP = segmentStep('segments.create', '${{ inputs.name }}')

/** A pipeline with each kind of write. Everything that it makes is named after the input `name`. */
export const FOUR_WRITES = `version: 1
name: kill
inputs:
  file: { type: file }
  name: { type: string }
steps:
  - { id: upload, uses: files.upload, with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID } }
${SEGMENT_STEP}  - id: match
    uses: matches.create
    with: { segmentId: "\${{ steps.segment.outputs.segmentId }}", groupId: 9001, deliveryScopes: [CABLE], shareSegmentName: true, accessBgIds: false }
  - id: activate
    uses: activations.create
    with:
      activationName: \${{ inputs.name }}
      segmentId: \${{ steps.segment.outputs.segmentId }}
      matchJobId: \${{ steps.match.outputs.matchJobId }}
      refreshRate: 30
      actionType: REQUEST
outputs: { matchCount: "\${{ steps.match.outputs.matchCount }}" }
`

/** The service itself, without any proxy. */
export function directClient(service: ReadyService): ApiClient {
  const log = createLog({ level: 'silent', destination: process.stderr, secrets: createSecrets(), clock: systemClock })
  const token = staticToken(service.token)
  return createApiClient({
    baseUrl: service.url,
    token,
    clock: systemClock,
    random: Math.random,
    log,
    redact: (text) => text,
  })
}

/** The numbers of segments, matches and activations with a name. */
export async function countMade(
  api: ApiClient,
  name: string,
): Promise<{ segments: number; matches: number; activations: number }> {
  const segments = await Array.fromAsync(api.items('segments.list', { participantSegmentId: name }))
  const matches = await Array.fromAsync(api.items('matches.list', { requester: true, segmentName: name }))
  const activations = await Array.fromAsync(api.items('activations.list', {}))
  return {
    segments: segments.length,
    matches: matches.length,
    activations: activations.filter(({ ActivationName }) => ActivationName === name).length,
  }
}
