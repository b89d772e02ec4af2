import { dirname } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { formatPosition } from '../core/diagnostic.ts'
import type { Engine } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { Fire, Firing } from '../core/fire.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { GitVersion, RunGroup, RunTrigger } from '../core/run.ts'
import { runIdAt } from '../core/run-id.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { toExpressionValue } from '../expressions/values.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { groupsOf, scheduleGroups } from '../runs/run-groups.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'

interface FireDeps {
  readonly engine: Pick<Engine, 'submit'>
  readonly occurrenceStore: OccurrenceStore
  readonly clock: Clock
  readonly random: () => number
  /** Whether such a file exists. */
  readonly exists: (path: string) => boolean
  /** Throws if a file may not be used. */
  readonly checkFile: (path: string) => void
  /** Undefined if the version cannot be found. */
  readonly gitVersionOf: (document: Pipeline) => Promise<GitVersion | undefined>
  /** Treats the values of the environment variables that the pipeline reads as secrets. */
  readonly protect: (pipeline: Pipeline) => void
  readonly log: Logger
}

/** Creates runs for occurrences. Pipelines have absolute paths here. */
export function createFire(deps: FireDeps): Fire {
  const { engine, occurrenceStore, clock, random, gitVersionOf, protect, log } = deps
  return async (firing) => {
    const { pipeline, trigger, key, at, detail, open } = firing
    const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
    const known = occurrenceStore.find(ref)
    if (known && known.state !== 'due') return known
    protect(pipeline)
    const occurrence = { key, at, ...(detail && { detail }), ...(open && { open }) }
    const now = clock.now()
    const plan = planRun(firing, { now, exists: deps.exists, checkFile: deps.checkFile })
    if ('state' in plan) {
      await occurrenceStore.note(ref, { occurrences: [{ ...occurrence, ...plan }] })
    } else {
      const git = await gitVersionOf(pipeline)
      await engine.submit({
        runId: runIdAt(now, random),
        pipeline,
        folder: dirname(pipeline.file),
        ...plan,
        occurrence: { trigger: trigger.id, ...occurrence },
        ...(git && { git }),
      })
    }
    const accounted = occurrenceStore.find(ref)
    if (!accounted)
      throw new Error(`the occurrence ${key} of ${pipeline.name}/${trigger.id} is not in the occurrenceStore`)
    logOccurrence(accounted, log)
    return accounted
  }
}

type RunPlan = { readonly inputs: JsonObject; readonly trigger: RunTrigger; readonly groups: readonly RunGroup[] }

/** The run to create, or the reason why there is none. */
function planRun(
  firing: Firing,
  { now, exists, checkFile }: Pick<FireDeps, 'exists' | 'checkFile'> & { readonly now: number },
): RunPlan | Pick<Occurrence, 'state' | 'reason'> {
  const { pipeline, trigger, at, values } = firing
  const root: RunTrigger = { ...values, kind: trigger.kind, id: trigger.id, at: new Date(at).toISOString() }
  const scope = {
    trigger: toExpressionValue({}, root) as JsonObject,
    // Only for now() and today(): a trigger may not use the name `run`.
    run: { id: '', pipeline: pipeline.name, startedAt: new Date(now).toISOString() },
  }
  try {
    if (trigger.if && !evaluateCondition(trigger.if, scope)) return { state: 'skipped', reason: 'condition' }
    const given: Record<string, Json> = {}
    for (const [name, template] of Object.entries(trigger.inputs)) given[name] = evaluateTemplate(template, scope)
    const inputs = resolveInputs(pipeline, { values: given, cwd: dirname(pipeline.file), exists, checkFile })
    const groups = [
      ...groupsOf(pipeline, inputs, root),
      ...(trigger.kind === 'schedule' ? scheduleGroups(pipeline.name, trigger) : []),
    ]
    return { inputs, trigger: root, groups }
  } catch (error) {
    if (!(error instanceof AudienceError)) throw error
    const place = formatPosition(error.at ?? trigger.at)
    return { state: 'failed', reason: `${error.message} (${place})` }
  }
}

function logOccurrence({ pipeline, trigger, key, state, reason, runId }: Occurrence, log: Logger): void {
  const facts = { pipeline, trigger, key, state, ...(runId !== undefined && { runId }), ...(reason && { reason }) }
  if (state === 'failed') log.error(facts, 'no run could be made of a trigger')
  else log.info(facts, state === 'ran' ? 'a trigger started a run' : 'a trigger started no run')
}
