import type { Logger } from 'pino'
import type { LiveDocument, PipelinesProblem } from './live-documents.ts'

interface Documents {
  readonly documents: ReadonlyMap<string, LiveDocument>
  readonly problems: readonly PipelinesProblem[]
}

/** Logs what has changed, one line a document. */
export function logDocuments(before: Documents, now: Documents, log: Logger): void {
  for (const [pipeline, document] of now.documents) {
    const earlier = before.documents.get(pipeline)
    if (earlier === document) continue
    const facts = { pipeline, file: document.file, digest: document.pipeline.digest }
    log.info(facts, earlier ? 'a pipeline has changed' : 'a pipeline is new')
  }
  for (const [pipeline, { file }] of before.documents) {
    if (!now.documents.has(pipeline))
      log.info({ pipeline, file }, 'a pipeline has gone: its triggers start no more runs')
  }
  logProblems(before.problems, now.problems, log)
}

function logProblems(before: readonly PipelinesProblem[], now: readonly PipelinesProblem[], log: Logger): void {
  const logged = new Set(before.map(textOf))
  for (const problem of now) {
    if (logged.has(textOf(problem))) continue
    const { file, messages, keepsLast } = problem
    log.error(
      { file, problems: messages },
      keepsLast ? 'not valid: the last valid version stays' : 'not valid: it is not run',
    )
  }
  const left = new Set(now.map(({ file }) => file))
  for (const file of new Set(before.map(({ file }) => file))) if (!left.has(file)) log.info({ file }, 'in order again')
}

function textOf({ file, messages, keepsLast }: PipelinesProblem): string {
  return JSON.stringify([file, messages, keepsLast])
}
