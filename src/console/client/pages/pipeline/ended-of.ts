import type { Change } from '../../live/changes.ts'

/** Whether a change says that a run of a pipeline has ended. */
export function endedOf(pipeline: string): (change: Change) => boolean {
  return (change) =>
    change.kind === 'runs' && change.runs.some((run) => run.pipeline === pipeline && run.finishedAt !== undefined)
}
