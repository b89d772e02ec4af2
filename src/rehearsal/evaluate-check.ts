import type { Position } from '../core/diagnostic.ts'
import { RUN_STATUSES } from '../core/format/statuses.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { type Pipeline, sectionEntries } from '../core/pipeline.ts'
import { stepKey } from '../core/run.ts'
import type { StepType } from '../core/step-type.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { Budget } from '../expressions/budget.ts'
import type { Names } from '../expressions/check.ts'
import { evaluateConditionIn } from '../expressions/evaluate.ts'
import { splitTemplate } from '../expressions/split-template.ts'
import { timestampAtMs } from '../expressions/time.ts'
import { DYN, recordType, schemaOfType } from '../expressions/types.ts'
import type { Timestamp, Value, ValueMap } from '../expressions/value.ts'
import { toExpressionValue } from '../expressions/values.ts'
import { namesAfterRun } from '../pipeline/names-after-run.ts'
import type { RunDescription } from '../runs/describe-run.ts'
import { inputsSchema } from '../runs/input-schema.ts'
import { outputSchema } from '../runs/output-schema.ts'

/** The values that the checks of an event read. */
export interface CheckValues {
  readonly pipeline: Pipeline
  readonly stepTypes: ReadonlyMap<string, StepType>
  /** The runs of the event, oldest first. */
  readonly runs: readonly RunDescription[]
}

/** The types of the names that checks read. Without a pipeline, nothing is known about them. */
export function checkNames(pipeline: Pipeline | undefined, stepTypes: ReadonlyMap<string, StepType>): Names {
  if (!pipeline) return { run: DYN, runs: DYN, steps: DYN }
  const { inputs, outputs, steps } = namesAfterRun(pipeline, stepTypes)
  const run = recordType('field of a run', {
    status: { kind: 'string', values: RUN_STATUSES },
    startedAt: { kind: 'timestamp' },
    finishedAt: { kind: 'timestamp' },
    inputs,
    outputs,
  })
  return { run, runs: { kind: 'list', items: run }, steps }
}

/**
 * Whether a check holds. Throws AudienceError `expression-failed` if the check has no result, for example because the
 * run lacks an output. `at` is the position of the check.
 */
export function evaluateCheck(check: string, values: CheckValues, at: Position): boolean {
  const [piece] = splitTemplate(check.trim())
  const source = piece?.kind === 'expression' ? piece.source : ''
  const run = values.runs.at(-1)
  return evaluateConditionIn(
    { source, at, folded: true },
    {
      root: (name) => rootOf(name, values),
      startedAt: run && startOf(run),
      failed: run?.status === 'failed',
      budget: new Budget(),
    },
  )
}

function rootOf(name: string, { runs, pipeline, stepTypes }: CheckValues): Value | undefined {
  const run = runs.at(-1)
  if (name === 'steps') return run && stepsValue(run, pipeline, stepTypes)
  if (name !== 'run' && name !== 'runs') return undefined
  const schemas = { inputs: inputsSchema(pipeline), outputs: schemaOfType(namesAfterRun(pipeline, stepTypes).outputs) }
  return name === 'runs' ? runs.map((one) => runValue(one, schemas)) : run && runValue(run, schemas)
}

function runValue(run: RunDescription, schemas: Readonly<Record<'inputs' | 'outputs', JsonSchema>>): ValueMap {
  const { status, finishedAt, inputs, outputs } = run
  return withoutUndefined({
    status,
    startedAt: startOf(run),
    finishedAt: finishedAt === undefined ? undefined : timestampAtMs(Date.parse(finishedAt)),
    inputs: toExpressionValue(schemas.inputs, inputs) as ValueMap,
    outputs: outputs && (toExpressionValue(schemas.outputs, outputs) as ValueMap),
  })
}

function startOf({ beganAt, submittedAt }: RunDescription): Timestamp {
  return timestampAtMs(Date.parse(beganAt ?? submittedAt))
}

/** The steps that have begun, in the form of `steps` in the pipeline, where a forEach is one step. */
function stepsValue(run: RunDescription, pipeline: Pipeline, stepTypes: CheckValues['stepTypes']): ValueMap {
  const begun = new Map(run.steps.map((step) => [stepKey(step), step]))
  const steps: Record<string, Value> = {}
  for (const entry of sectionEntries(pipeline)) {
    const step = begun.get(entry.id)
    if (!step) continue
    const { status, outputs } = step
    const value = outputs === undefined ? undefined : toExpressionValue(outputSchema(entry, stepTypes), outputs)
    steps[entry.id] = withoutUndefined({ status, outputs: value as Value | undefined })
  }
  return steps
}
