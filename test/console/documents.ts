/** Needs no service: it waits for a person, and puts out a number. */
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

/** It fails: there is no such group. */
const FAILS = `version: 1
name: fails
steps:
  - id: look
    uses: groups.get
    with: { id: 4242 }
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

export const DOCUMENTS = { 'ask.yaml': ASK, 'data.txt': 'x\n', 'fails.yaml': FAILS, 'nightly.yaml': NIGHTLY }
