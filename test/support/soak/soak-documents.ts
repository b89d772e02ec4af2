import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../audience.ts'

/** The documents of a soak: what a person starts, what files start, and what every minute starts. */
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

/** A person starts it; `name` names all that it makes. */
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

/** Every minute the same segment, match and activation are brought up to date. */
export const EVERY_MINUTE = `version: 1
name: minutely
triggers:
  - id: minute
    schedule: { cron: "* * * * *", timezone: UTC, missed: all, overlap: queue }
${RETRY}
${steps('minutely', 'people.csv', 'ensure')}`

/** Pipelines of the repository, with an input `name` that names all that they make, and without their triggers. */
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
