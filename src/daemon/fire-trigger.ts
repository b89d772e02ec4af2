import { dirname } from 'node:path'
import type { Logger } from 'pino'
import { formatPosition } from '../core/diagnostic.ts'
import type { Engine, RunRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { Fire, Firing } from '../core/fire.ts'
import { type RunStart, startText } from '../core/format/start-text.ts'
import { isoTime } from '../core/iso-time.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { type Occurrence, triggerName } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunTrigger } from '../core/run.ts'
import type { Trigger } from '../core/trigger.ts'
import { evaluateCondition, evaluateTemplate } from '../expressions/evaluate.ts'
import { toExpressionValue } from '../expressions/values.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { type PrepareRunDeps, prepareRun } from '../runs/prepare-run.ts'
import type { OccurrenceStore } from '../state/occurrence-store.ts'
import { labelOfTrigger } from '../state/trigger-label.ts'
import { askersOf } from '../triggers/schedule/decide-backfill.ts'
import { giversOf } from './file-givers.ts'

interface FireDeps extends PrepareRunDeps {
  engine: Pick<Engine, 'submit'>
  occurrenceStore: OccurrenceStore
  /** Whether such a file exists. */
  exists: (path: string) => boolean
  /** Why the system denies this user access to a path; undefined if it does not. */
  whyUnseen?: (path: string) => string | undefined
  /** Throws if a file may not be used. */
  checkFile: (path: string) => void
  /**
   * Treats the values of the environment variables that the pipeline reads as secrets; throws if that is impossible for
   * one of them.
   */
  protect: (pipeline: Pipeline) => void
  /** The folder of uploads; see `giversOf`. */
  uploads: string
  log: Logger
}

/** Creates runs for occurrences. Pipelines have absolute paths here. */
export function createFire(deps: FireDeps): Fire {
  const { engine, occurrenceStore, log } = deps
  return async (firing) => {
    const { pipeline, trigger, key, at, detail, open } = firing
    const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
    const known = await occurrenceStore.find(ref)
    if (known && known.state !== 'due') return known
    const occurrence = { key, at, detail, open }
    const plan = await planRun(firing, deps)
    if ('state' in plan) await occurrenceStore.note(ref, { occurrences: [{ ...occurrence, ...plan }] })
    else await engine.submit({ ...plan, occurrence: { trigger: trigger.id, ...occurrence } })
    const accounted = await occurrenceStore.find(ref)
    if (!accounted) throw new Error(`the occurrence ${key} of ${pipeline.name}/${trigger.id} has no record`)
    logOccurrence(accounted, startText(startOf(firing, deps.clock.now())), log)
    return accounted
  }
}

/** The run to create, or the reason why there is none. */
async function planRun(firing: Firing, deps: FireDeps): Promise<RunRequest | Pick<Occurrence, 'state' | 'reason'>> {
  const { clock, exists, whyUnseen, checkFile, protect, uploads } = deps
  const { pipeline, trigger, detail = {} } = firing
  const root = rootOf(firing)
  const scope = {
    trigger: toExpressionValue({}, root) as JsonObject,
    // Only now() and today() use this, because expressions of a trigger may not use the name `run`.
    run: { id: '', pipeline: pipeline.name, startedAt: isoTime(clock.now()) },
  }
  try {
    protect(pipeline)
    if (trigger.if && !evaluateCondition(trigger.if, scope)) return { state: 'skipped', reason: 'condition' }
    const given: Record<string, Json> = {}
    for (const [name, template] of Object.entries(trigger.inputs)) given[name] = evaluateTemplate(template, scope)
    const folder = dirname(pipeline.file)
    const inputs = resolveInputs(pipeline, { values: given, cwd: folder, exists, whyUnseen, checkFile })
    const schedule = trigger.kind === 'schedule' ? trigger : undefined
    const givers = typeof detail.sha256 === 'string' ? giversOf(uploads, detail.sha256) : []
    const submitters = [...askersOf(detail), ...givers, ...(firing.submitters ?? [])]
    return await prepareRun({ pipeline, folder, inputs, trigger: root, schedule, submitters }, deps)
  } catch (error) {
    if (!(error instanceof AudienceError)) throw error
    const place = formatPosition(error.at ?? trigger.at)
    return { state: 'failed', reason: `${error.message} (${place})` }
  }
}

/** The value of `trigger` in the run. */
function rootOf({ trigger, at, values }: Firing): RunTrigger {
  return { ...values, kind: writtenKind(trigger), id: trigger.id, at: isoTime(at) }
}

/** The kind, in the words that documents use: a watch of a folder, or of a source. */
function writtenKind({ kind }: Trigger): Exclude<Trigger['kind'], 'remote'> {
  return kind === 'remote' ? 'watch' : kind
}

function startOf(firing: Firing, submittedAt: number): RunStart {
  return { triggerKind: writtenKind(firing.trigger), triggerLabel: labelOfTrigger(rootOf(firing)), submittedAt }
}

function logOccurrence({ pipeline, trigger, key, state, reason, runId }: Occurrence, start: string, log: Logger): void {
  const facts = { pipeline, trigger, key, state, runId, reason }
  const name = triggerName({ pipeline, trigger })
  if (state === 'failed') log.error(facts, `${name} could not start a run: ${reason}`)
  else
    log.info(
      facts,
      state === 'ran' ? `${name} started the run ${runId}: ${start}` : `${name} started no run: ${reason}`,
    )
}
