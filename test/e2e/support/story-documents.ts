import { segmentStep } from '../../support/segment-step.ts'

const upload = (file: string, more = '') => `  - id: upload
    uses: files.upload
    with: { file: ${file}, uploadSignal: EMAIL, resultContent: BGID }
${more}`

const NIGHT = `version: 1
name: night
inputs: { file: { type: file, default: people.csv } }
triggers:
  - id: nightly
    schedule: { cron: "0 2 * * *", timezone: UTC, overlap: queue, missed: none }
concurrency: { group: night, limit: 1, onConflict: queue }
steps:
${upload('"${{ inputs.file }}"', '    guard: { of: "${{ outputs.rows }}", learn: { runs: 30, warmUp: 2 } }')}
${segmentStep('segments.ensure', 'night')}
  - id: match
    uses: matches.ensure
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      groupId: 9001
      deliveryScopes: [CABLE]
      shareSegmentName: false
      accessBgIds: false
  - id: activate
    uses: activations.ensure
    with:
      activationName: night
      segmentId: \${{ steps.segment.outputs.segmentId }}
      matchJobId: \${{ steps.match.outputs.matchJobId }}
      refreshRate: 30
      actionType: REQUEST
outputs:
  made: \${{ steps.segment.outputs.action }} \${{ steps.match.outputs.action }} \${{ steps.activate.outputs.action }}
`

const SHARE = `version: 1
name: share
inputs: { segment: { type: string } }
steps:
  - { id: share, uses: segments.share, with: { segmentId: "\${{ inputs.segment }}", partnerId: 2001 } }
`

const ENOUGH = `version: 1
name: enough
steps:
${upload('few.csv', '    expect: [{ check: "${{ outputs.rows >= 10 }}", message: too few people }]')}
  - { id: look, uses: groups.list }
`

const LIST = `version: 1
name: list
steps:
  - { id: list, uses: files.prepare, with: { from: { file: list.csv }, column: email, signal: EMAIL } }
`

const ASK = `version: 1
name: ask
steps:
  - { id: ask, uses: approval.wait, with: { message: may it go on } }
`

const DROPS = `version: 1
name: drops
inputs: { file: { type: file } }
triggers:
  - id: drop
    watch: { path: ../inbox, pattern: "*.csv", settle: 100ms, done: ../inbox/done, failed: ../inbox/failed }
    inputs: { file: "\${{ trigger.file }}" }
steps:
  - id: look
    uses: groups.list
    expect: [{ check: '\${{ !fileName(inputs.file).startsWith("bad") }}', message: not today }]
`

const CONFIG = `privacy: { membership: { keep: 30d } }
notify: { channels: { ops: { webhook: { urlEnv: HOOK } } } }
`

/** A file with this many people, one per line. */
export const people = (count: number) => Array.from({ length: count }, (_, one) => `p${one}@example.com\n`).join('')

/** The files of the project, by name. */
export const STORY_FILES: Readonly<Record<string, string>> = {
  'audience.yaml': CONFIG,
  ...Object.fromEntries(
    Object.entries({ night: NIGHT, share: SHARE, enough: ENOUGH, list: LIST, ask: ASK, drops: DROPS }).map(
      ([name, text]) => [`pipelines/${name}.yaml`, text],
    ),
  ),
  'pipelines/people.csv': people(80),
  'inbox/.keep': '',
}
