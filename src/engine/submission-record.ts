import type { RunRequest } from '../core/engine.ts'
import type { RunRecord } from '../core/run.ts'

/** The first record of a run. */
export function submissionRecord(request: RunRequest): Extract<RunRecord, { type: 'run.submitted' }> {
  const { pipeline, folder, inputs, trigger, groups = [], seed, git, startedBy } = request
  return {
    type: 'run.submitted',
    pipeline: pipeline.name,
    file: pipeline.file,
    folder,
    text: pipeline.text,
    digest: pipeline.digest,
    ...(git && { git }),
    inputs,
    trigger,
    ...(groups.length > 0 && { groups: groups.map(({ name }) => name) }),
    ...(seed && { seed }),
    ...(startedBy?.by !== undefined && { startedBy: startedBy.by }),
  }
}
