import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/audience.ts'

/** A pipeline that needs no service: it waits for a person and has a number as output. */
const ASK = `version: 1
name: ask
inputs:
  amount: { type: integer, default: 1 }
  file: { type: file, default: data.txt }
steps:
  - id: first
    uses: approval.wait
    with: { message: May it begin? }
  - id: second
    uses: approval.wait
    with:
      message: "May it end, with \${{ inputs.amount }}?"
      approvers: [the approver]
      comment: required
outputs: { amount: "\${{ inputs.amount }}" }
`

/** A pipeline that fails, because the group does not exist. */
const FAILS = `version: 1
name: fails
steps:
  - id: look
    uses: groups.get
    with: { id: 4242 }
`

/** A pipeline that succeeds, although one of its two steps fails. */
const PARTLY = `version: 1
name: partly
steps:
  - { id: list, uses: groups.list }
  - { id: look, uses: groups.get, with: { id: 4242 }, continueOnError: true }
`

const NIGHTLY = `version: 1
name: nightly
triggers:
  - id: night
    schedule: { cron: "30 2 * * *", timezone: America/New_York }
  - id: drop
    watch: { path: inbox, pattern: "*.csv", settle: 1s, done: inbox/done, failed: inbox/failed }
inputs: { file: { type: string, default: none } }
steps:
  - { id: list, uses: groups.list }
`

/**
 * A pipeline whose match waits until the partner approves it. Only the page or the control API of the embedded service
 * can do that.
 */
const PARTNER = `version: 1
name: partner
steps:
  - id: upload
    uses: files.upload
    with: { file: people.csv, uploadSignal: EMAIL, resultContent: BGID }
  - id: segment
    uses: segments.create
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: partner-\${{ run.id }}
      segmentName: Winter travellers
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
  - id: match
    uses: matches.create
    with:
      segmentId: \${{ steps.segment.outputs.segmentId }}
      partnerId: 2005
      deliveryScopes: [CABLE]
      shareSegmentName: true
      accessBgIds: false
outputs: { matchId: "\${{ steps.match.outputs.matchId }}" }
`

/** The input of `partner`. */
export const PARTNER_DOCUMENTS = {
  'partner.yaml': PARTNER,
  'people.csv': readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8'),
}

/** A pipeline with every type of input. It needs no service. */
const FORM = `version: 1
name: form
inputs:
  note: { type: string, default: none }
  file: { type: file, description: The list of this week. }
  amount: { type: integer, default: 1 }
  share: { type: number, default: 0.5 }
  isUrgent: { type: boolean, default: false }
  from: { type: date, default: 2026-01-31 }
  kind: { type: enum, values: [cable, stream], default: cable }
  partners: { type: list, items: integer, default: [2001] }
  audiences:
    type: list
    description: One match for each.
    items:
      name: string
      file: file
      groupId: { type: integer, default: 9001 }
      scope: { type: enum, values: [CABLE, MOBILE], default: CABLE }
steps:
  - id: go
    uses: approval.wait
    with: { message: "Send \${{ inputs.file }}?" }
`

export const DOCUMENTS = {
  'ask.yaml': ASK,
  'data.txt': 'x\n',
  'fails.yaml': FAILS,
  'form.yaml': FORM,
  'partly.yaml': PARTLY,
  'nightly.yaml': NIGHTLY,
}
