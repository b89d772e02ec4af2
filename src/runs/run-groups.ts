import { type AudienceError, failedError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunGroup, RunTrigger } from '../core/run.ts'
import type { ScheduleTrigger } from '../core/trigger.ts'
import { evaluateTemplate } from '../expressions/evaluate.ts'
import { toExpressionValue } from '../expressions/values.ts'
import { inputsSchema } from './input-schema.ts'

/**
 * The group of a run, from the document and its inputs; none without `concurrency`. Throws AudienceError if the name
 * cannot be evaluated.
 */
export function runGroupsOf(pipeline: Pipeline, inputs: JsonObject, trigger: RunTrigger): RunGroup[] {
  const { concurrency } = pipeline
  if (!concurrency) return []
  const scope = {
    inputs: toExpressionValue(inputsSchema(pipeline), inputs) as JsonObject,
    trigger: toExpressionValue({}, trigger) as JsonObject,
  }
  const name = evaluateTemplate(concurrency.group, scope)
  if (typeof name !== 'string' || name === '') throw noName(pipeline)
  return [{ name, limit: concurrency.limit, onConflict: concurrency.onConflict }]
}

/** The group that prevents the runs of one schedule from overlapping; none if they may overlap. */
export function scheduleGroups(pipeline: string, { id, overlap }: ScheduleTrigger): readonly RunGroup[] {
  if (overlap === 'allow') return []
  return [{ name: `schedule:${pipeline}/${id}`, limit: 1, onConflict: overlap, because: 'overlap' }]
}

/** The error for a run that was not admitted; `by` is the run that blocks it. */
export function groupBusy(pipeline: string, by: string): AudienceError {
  return failedError(
    'group-busy',
    `${pipeline} was not run: its group is busy with run ${by}, and \`onConflict\` says not to wait`,
    `run it again when that run has ended; \`audience runs show ${by}\` shows what it is doing`,
  )
}

function noName({ name, file }: Pipeline): AudienceError {
  return failedError(
    'no-group',
    `concurrency.group of the pipeline ${name} does not evaluate to a text for this run`,
    `change the expression in ${file} so that it evaluates to a text even if a value is missing`,
  )
}
