import { expect, test } from 'vitest'
import { recordDecision, stepToDecide } from '../../src/acts/record-decision.ts'
import type { HumanDecision, RunRecord } from '../../src/core/run.ts'
import { readPipeline } from '../../src/daemon/documents/read-pipeline.ts'
import { findRun } from '../../src/runs/recorded-run.ts'
import { openRecordedRun } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RUN = '20261127t010000-aaaaaaaaaa'
const ANA = { by: 'Ana', comment: 'the figures fit' }
const TEXT = `version: 1
name: nightly
steps:
  - id: list
    uses: groups.list
  - id: release
    uses: approval.wait
    with: { message: release it? }
  - id: tell
    uses: groups.list
`

const started = (step: string): RunRecord => ({ type: 'step.started', step, attempt: 1 })
const waits = (step: string, reason: 'approval' | 'decision'): RunRecord => ({
  ...{ type: 'step.waiting', step, attempt: 1, reason },
  error: { code: 'c', kind: 'failed', message: 'm' },
})
const decided = (step: string, decision: HumanDecision): RunRecord => ({
  type: 'decision.made',
  step,
  decision,
  ...ANA,
})

/** A run with these records. */
async function runWith(...records: readonly RunRecord[]) {
  const state = await openRecordedRun(tempFolder(), { runId: RUN, text: TEXT }, records)
  const find = async (name: string, decision: HumanDecision) =>
    stepToDecide({ row: await findRun(state.runs, RUN), name, decision }, { runs: state.runs, readPipeline })
  return { state, find, [Symbol.asyncDispose]: state[Symbol.asyncDispose] }
}

const ASKED = [started('release'), waits('release', 'approval')]
const DOUBT = [started('list'), waits('list', 'decision')]
const END: RunRecord = { type: 'run.finished', status: 'cancelled' }

test.each<[string, readonly RunRecord[], string, HumanDecision]>([
  ['an approval', ASKED, 'release', 'approved'],
  ['a rejection', ASKED, 'release', 'rejected'],
  ['a write in doubt', DOUBT, 'list', 'done'],
  ['the same write, in doubt again', [...DOUBT, decided('list', 'again'), ...DOUBT], 'list', 'again'],
])('a step waits for %s', async (_, records, name, decision) => {
  await using at = await runWith(...records)
  expect(await at.find(name, decision)).toMatchObject({ step: name })
})

test.each<[string, readonly RunRecord[], string, HumanDecision, string, RegExp]>([
  ['no name', ASKED, 'release!', 'approved', 'unknown-step', /^write its id/],
  ['a mistyped one', ASKED, 'relaese', 'approved', 'unknown-step', /^did you mean release/],
  ['an item, which is never guessed', ASKED, 'release[2]', 'approved', 'unknown-step', /^it waits for .* at release$/],
  ['a later step', ASKED, 'tell', 'approved', 'unknown-step', /^it waits for .* at release$/],
  ['a working step', [started('list')], 'list', 'done', 'not-waiting', /runs show/],
  ['a step with another question', ASKED, 'release', 'done', 'not-waiting', /^audience runs approve/],
  [
    'a step that waits again',
    [...DOUBT, decided('list', 'again'), ...DOUBT],
    'list',
    'approved',
    'not-waiting',
    /--again/,
  ],
  ['a decided step', [...DOUBT, decided('list', 'again')], 'list', 'done', 'already-decided', /runs show/],
  ['a step of an ended run', [...ASKED, END], 'release', 'approved', 'run-ended', /runs show/],
])('no decision about %s', async (_, records, name, decision, code, hint) => {
  await using at = await runWith(...records)
  await expect(at.find(name, decision)).rejects.toMatchObject({
    code,
    kind: 'usage',
    hint: expect.stringMatching(hint),
  })
})

test.each([
  ['not-an-approver', { approvers: ['Bo'] }, ANA],
  ['comment-required', { needsComment: true }, { by: 'Ana' }],
  ['own-run', { notBy: ['Ana'] }, ANA],
] as const)('%s: the refusal is in the audit log, except for the API', async (code, approval, actor) => {
  await using at = await runWith(...ASKED)
  const { runs, audit } = at.state
  const step = { ...(await at.find('release', 'approved')), approval } as never
  const asked = { runId: RUN, step, decision: 'approved', actor } as const
  await expect(recordDecision(asked, { runs })).rejects.toMatchObject({ code })
  expect(await audit.list({ limit: 9 })).toEqual([])
  await expect(recordDecision(asked, { runs, audit })).rejects.toMatchObject({ code })
  const [entry, ...more] = await audit.list({ limit: 9 })
  expect(entry).toMatchObject({ ...actor, act: 'run.decide', detail: 'release approved', outcome: code })
  expect(more).toEqual([])
})
