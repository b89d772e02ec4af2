import { jobsUnderWay } from '../../../acts/cancel-run.ts'
import type { StepDescription } from '../../../runs/describe-run.ts'
import { lastGoodBefore } from '../../../runs/for-decision.ts'
import { graphUnlessUnreadable, stepsAfter } from '../../../runs/pipeline-graph.ts'
import { createRecordTeller } from '../../../runs/record-teller.ts'
import { stepsBlocked } from '../../../status/steps-blocked.ts'
import { diffLines } from '../diff-lines.ts'
import { toBlockedStep, toStepItem } from '../run-facts.ts'
import { toRunItem } from '../run-item.ts'
import type { View } from './view.ts'

const MOST_WAITS = 100

export const viewRun: View<'runs.get'> = async ({ readRun, runs, reader }, { runId }, { today, caller }) => {
  const { row, run, records, submission } = await readRun(runId)
  const { file, digest, git, service, inputs, trigger, lastRun, variables, outputs, error, cancelled, steps } = run
  const waits = steps.filter(({ waitsFor }) => waitsFor !== undefined).slice(0, MOST_WAITS)
  const graph =
    waits.length === 0 ? [] : today?.digest === digest ? today.steps : graphUnlessUnreadable(submission, await reader())
  return {
    run: toRunItem(row),
    file,
    digest,
    inputs,
    trigger,
    documentChanged: today?.digest !== digest,
    git,
    service,
    queued: row.status === 'queued' ? submission.queued : undefined,
    variables,
    lastRun,
    lastGood: lastRun ?? (await lastGoodBefore(row, runs))?.runId,
    waits: waits.map((step) => ({ ...toStepItem(step, { records, caller }), followedBy: stepsAfter(graph, step) })),
    blocked: row.finishedAt === undefined ? (await stepsBlocked(runs, [runId])).map(toBlockedStep) : [],
    jobsUnderWay: row.finishedAt === undefined ? jobsUnderWay(run) : [],
    outputs,
    error: error && { ...error },
    cancelled,
  }
}

export const viewDocument: View<'runs.document'> = async ({ readRun, reader }, { runId }, { today }) => {
  const { submission } = await readRun(runId)
  const { text, digest, file } = submission
  return {
    text,
    digest,
    file,
    steps: today?.digest === digest ? today.steps : graphUnlessUnreadable({ text, file }, await reader()),
    today: today && { digest: today.digest, diff: diffLines(text, today.text) },
  }
}

const USUAL_EVENTS = 500

/** The events of a run, as in `audience runs logs --json`. */
export const viewEvents: View<'runs.logs'> = async (
  { readRun, reader },
  { runId, after = -1, limit = USUAL_EVENTS },
) => {
  const { records } = await readRun(runId)
  const teller = createRecordTeller(runId, records, await reader())
  teller.tell(records.filter(({ seq }) => seq <= after))
  const events: Record<string, unknown>[] = []
  let last = after
  for (const stored of records.filter(({ seq }) => seq > after)) {
    if (events.length >= limit) return { events, last, more: true }
    events.push(...teller.tell([stored]).map((event) => ({ ...event })))
    last = stored.seq
  }
  return { events, last, more: false }
}

const USUAL_STEPS = 100

/** The steps of a run in order, or the items of one forEach, most urgent first. */
export const viewSteps: View<'runs.steps'> = async ({ readRun }, input, { caller }) => {
  const { runId, step, index, item, q, offset = 0, limit = USUAL_STEPS } = input
  const { run, records } = await readRun(runId)
  const itemsOf = Map.groupBy(
    run.steps.filter((one) => one.index !== undefined && one.block === undefined),
    ({ step }) => step,
  )
  const items = itemsOf.get(step ?? '') ?? []
  const wanted = () => {
    if (step === undefined) return run.steps.filter((one) => one.index === undefined)
    if (index !== undefined) return run.steps.filter((one) => one.block === step && one.index === index)
    if (item !== undefined) return items.filter((one) => one.index === item)
    return items.toSorted(byUrgency)
  }
  const found = q === undefined ? wanted() : wanted().filter((one) => hasText(one, q.toLowerCase()))
  return {
    steps: found
      .slice(offset, offset + limit)
      .map((one) => toStepItem(one, { records, caller, items: one.index === undefined ? itemsOf.get(one.step) : [] })),
    total: found.length,
  }
}

function hasText({ step, key, label, error }: StepDescription, text: string): boolean {
  return [step, key, label, error?.message].some((part) => part?.toLowerCase().includes(text))
}

const URGENCY: readonly StepDescription['status'][] = [
  'failed',
  'waiting',
  'running',
  'cancelled',
  'succeeded',
  'skipped',
]

function byUrgency(a: StepDescription, b: StepDescription): number {
  return URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status) || (a.index ?? 0) - (b.index ?? 0)
}
