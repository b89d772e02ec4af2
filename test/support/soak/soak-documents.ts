import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../audience.ts'

/** The documents of a soak. A person starts some, dropped files start others, and one starts every minute. */
const RETRY = 'defaults: { retry: { maxAttempts: 100, delay: 300ms, backoff: 1, on: [unavailable] } }'

const steps = (name: string, file: string, kind: 'create' | 'ensure') => `
steps:
  - { id: upload, uses: files.upload, with: { file: ${file}, uploadSignal: EMAIL, resultContent: BGID } }
  - id: segment
    uses: segments.${kind}
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: ${name}
      segmentName: ${name}
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
  - id: match
    uses: matches.${kind}
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: true
      accessBgIds: false
  - id: activate
    uses: activations.${kind}
    with:
      activationName: ${name}
      segmentId: \${{ steps.segment.outputs.segmentId }}
      matchJobId: \${{ steps.match.outputs.matchJobId }}
      refreshRate: 30
      actionType: REQUEST
`

/** A person starts it. Everything that it makes is named after the input `name`. */
export const BY_HAND = `version: 1
name: by-hand
inputs:
  name: { type: string }
concurrency: { group: by-hand, limit: 6 }
${RETRY}
${steps('${{ inputs.name }}', 'people.csv', 'create')}`

/** Each dropped file makes a segment, a match and an activation, named after the file. */
export const DROPPED = `version: 1
name: dropped
inputs:
  file: { type: file }
  name: { type: string }
triggers:
  - id: drop
    watch: { path: ../inbox, pattern: "*.csv", settle: 300ms, done: ../done, failed: ../failed, repeat: true }
    inputs: { file: "\${{ trigger.file }}", name: "\${{ trigger.name }}" }
${RETRY}
${steps('${{ inputs.name }}', '"${{ inputs.file }}"', 'create')}`

/** Every minute it updates the same segment, match and activation. */
export const EVERY_MINUTE = `version: 1
name: minutely
triggers:
  - id: minute
    schedule: { cron: "* * * * *", timezone: UTC, missed: all, overlap: queue }
${RETRY}
${steps('minutely', 'people.csv', 'ensure')}`

/** Pipelines of the repository without their triggers. Everything that they make is named after the input `name`. */
export function named(pipelines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pipelines.map((name) => {
      const text = readFileSync(join(root, 'pipelines', `${name}.yaml`), 'utf8')
      const renamed = text
        .replace(/^triggers:\n(?: .*\n|\n)+/m, '')
        .replace('inputs:\n', 'inputs:\n  name: { type: string }\n')
        .replace('{ type: file, default: data/auto-intenders.csv', '{ type: file, default: people.csv')
        .replace(/(segmentName|activationName|participantSegmentId): .*/g, '$1: ${{ inputs.name }}')
        .replace('shareSegmentName: false', 'shareSegmentName: true')
        .replace(/(minimumMatch: .*default: )100/, '$110')
      return [name, renamed]
    }),
  )
}
