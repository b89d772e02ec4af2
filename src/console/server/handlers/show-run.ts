import { InvalidDocumentError } from '../../../core/errors.ts'
import type { Handler } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { diffLines } from '../diff-lines.ts'
import { graphOf } from '../pipeline-facts.ts'
import { jobsUnderWay, readRecords, readRun, toStepItem } from '../run-facts.ts'
import { toRunItem } from '../run-item.ts'

const MOST_WAITS = 100

export const showRun: Handler<'runs.get'> = async (deps, { runId }) => {
  const { row, run, records, submission } = await readRun(deps, runId)
  const { file, digest, git, service, inputs, trigger, lastRun, variables, outputs, error, cancelled, steps } = run
  const today = deps.documents().get(run.pipeline)?.pipeline
  return {
    run: toRunItem(row),
    ...{ file, digest, inputs, trigger },
    documentChanged: today?.digest !== digest,
    ...(git && { git }),
    ...(service !== undefined && { service }),
    ...(row.status === 'queued' && submission.queued && { queued: submission.queued }),
    ...(variables && { variables }),
    ...(lastRun !== undefined && { lastRun }),
    waits: steps
      .filter(({ waitsFor }) => waitsFor !== undefined)
      .slice(0, MOST_WAITS)
      .map((step) => toStepItem(step, { records })),
    jobsUnderWay: row.finishedAt === undefined ? jobsUnderWay(run) : [],
    ...(outputs && { outputs }),
    ...(error && { error: { ...error } }),
    ...(cancelled && { cancelled }),
  }
}

export const showDocument: Handler<'runs.document'> = async (deps, { runId }) => {
  const { submission } = await readRecords(deps, runId)
  const { text, digest, file, pipeline } = submission
  const today = deps.documents().get(pipeline)?.pipeline
  return {
    ...{ text, digest, file, steps: stepsOf({ text, file }, deps) },
    ...(today && { today: { digest: today.digest, diff: diffLines(text, today.text) } }),
  }
}

/** None if this version cannot read the document. */
function stepsOf(
  source: { readonly text: string; readonly file: string },
  { readPipeline }: Pick<ConsoleDeps, 'readPipeline'>,
): ReturnType<typeof graphOf> {
  try {
    return graphOf(readPipeline(source))
  } catch (error) {
    if (error instanceof InvalidDocumentError) return []
    throw error
  }
}
