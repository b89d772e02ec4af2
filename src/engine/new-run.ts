import type { RunRequest } from '../core/engine.ts'
import type { NewRun } from '../state/journal.ts'
import { sealingOf } from './sealed-runs.ts'

/**
 * The run that the store adds for a request. `at` is in milliseconds since 1970. `profile` is the profile of this
 * process, and `env` its environment.
 */
export function newRun(
  request: RunRequest,
  {
    at,
    profile,
    env,
  }: {
    at: number
    profile: string | undefined
    env: Readonly<Record<string, string | undefined>>
  },
): NewRun {
  const { runId, pipeline, folder, inputs, trigger, groups, occurrence, dedupeKey } = request
  const { seed, git, startedBy, via, submitters = [] } = request
  const isBySelf = submitters.length === 0 || (submitters.length === 1 && submitters[0] === startedBy?.by)
  return {
    runId,
    at,
    record: {
      type: 'run.submitted',
      pipeline: pipeline.name,
      file: pipeline.file,
      folder,
      text: pipeline.text,
      digest: pipeline.digest,
      git,
      profile,
      inputs,
      trigger,
      groups: groups?.length ? groups.map(({ name }) => name) : undefined,
      seed,
      startedBy: startedBy?.by,
      via,
      submitters: isBySelf ? undefined : submitters,
    },
    sealing: sealingOf(pipeline, env),
    dedupeKey,
    groups,
    occurrence,
    startedBy,
  }
}
