import { jobsUnderWay } from '../../../acts/cancel-run.ts'
import { lastGoodBefore } from '../../../runs/last-good.ts'
import { graphUnlessUnreadable, stepsAfter } from '../../../runs/pipeline-graph.ts'
import { stepsBlocked } from '../../../status/steps-blocked.ts'
import { diffLines } from '../diff-lines.ts'
import { toBlockedStep, toStepItem } from '../run-facts.ts'
import { toRunItem } from '../run-item.ts'
import type { View } from './view.ts'

const MOST_WAITS = 100

export const showRun: View<'runs.get'> = async ({ readRun, runs, reader }, { runId }, { today, caller }) => {
  const { row, run, records, submission } = await readRun(runId)
  const { file, digest, git, service, inputs, trigger, lastRun, variables, outputs, error, cancelled, steps } = run
  const waits = steps.filter(({ waitsFor }) => waitsFor !== undefined).slice(0, MOST_WAITS)
  const graph =
    waits.length === 0 ? [] : today?.digest === digest ? today.steps : graphUnlessUnreadable(submission, await reader())
  return {
    run: toRunItem(row),
    ...{ file, digest, inputs, trigger },
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

export const showDocument: View<'runs.document'> = async ({ readRun, reader }, { runId }, { today }) => {
  const { submission } = await readRun(runId)
  const { text, digest, file } = submission
  return {
    ...{ text, digest, file },
    steps: today?.digest === digest ? today.steps : graphUnlessUnreadable({ text, file }, await reader()),
    today: today && { digest: today.digest, diff: diffLines(text, today.text) },
  }
}
