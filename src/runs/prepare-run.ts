import type { Clock } from '../core/clock.ts'
import type { RunRequest, UploadersOf } from '../core/engine.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { GitVersion, Seed } from '../core/run.ts'
import { runIdAt } from '../core/run-id.ts'
import type { ScheduleTrigger } from '../core/trigger.ts'
import { runGroupsOf, scheduleGroups } from './run-groups.ts'

export interface PrepareRunDeps {
  clock: Pick<Clock, 'now'>
  random: () => number
  /** Undefined if the version cannot be found. */
  gitVersionOf: (document: Pipeline) => Promise<GitVersion | undefined>
  uploadersOf: UploadersOf
}

/** A requested run. The rest follows from the document. */
export interface WantedRun extends Omit<RunRequest, 'runId' | 'git' | 'groups' | 'seed'> {
  readonly seed?: Seed | undefined
  /** The schedule that the run is for: its `overlap` creates a separate group. */
  readonly schedule?: ScheduleTrigger | undefined
  /** Groups in which a run that waits for this one has a slot. This run would wait for that slot forever. */
  readonly held?: ReadonlySet<string>
}

/** The request for a new run: its id, its groups and the commit of its document. Throws `no-group`. */
export async function prepareRun(wanted: WantedRun, deps: PrepareRunDeps): Promise<RunRequest> {
  const { seed, schedule, held, submitters = [], ...asked } = wanted
  const { pipeline, inputs, trigger } = asked
  const { by } = asked.startedBy ?? {}
  const groups = runGroupsOf(pipeline, inputs, trigger).filter(({ name }) => !held?.has(name))
  if (schedule) groups.push(...scheduleGroups(pipeline.name, schedule))
  const names = [...new Set([...(by === undefined ? [] : [by]), ...submitters, ...deps.uploadersOf(asked)])]
  const git = await deps.gitVersionOf(pipeline)
  return {
    ...asked,
    runId: runIdAt(deps.clock.now(), deps.random),
    groups,
    submitters: names.length > 0 ? names : undefined,
    seed,
    git,
  }
}
