import { dirname, resolve } from 'node:path'
import type { Json } from '../core/json.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { NESTING_STEP } from '../core/step-type.ts'
import { literalOf } from '../core/template.ts'
import { filesIn, stepFiles } from './named-files.ts'

/** The absolute paths that a document names without expressions. */
export interface ReferencedFiles {
  /** Default files of inputs, files of steps and triggers, days off. */
  readonly files: readonly string[]
  /** The pipelines that its steps run. */
  readonly pipelines: readonly string[]
}

export function referencedFiles(pipeline: Pipeline, stepTypes: ReadonlyMap<string, StepType>): ReferencedFiles {
  const folder = dirname(resolve(pipeline.file))
  const files: Json[] = Object.values(pipeline.inputs).flatMap((input) =>
    input.default === undefined ? [] : filesIn(input, input.default),
  )
  const pipelines: Json[] = []
  for (const { uses, with: given } of stepsOf(pipeline)) {
    if (uses === NESTING_STEP) pipelines.push(literalOf(given, 'file') ?? null)
    files.push(...stepFiles(stepTypes.get(uses)?.input, given))
  }
  for (const trigger of pipeline.triggers) {
    if (trigger.kind === 'schedule' && trigger.exclude.file !== undefined) files.push(trigger.exclude.file)
    for (const [name, template] of Object.entries(trigger.inputs)) {
      const input = Object.hasOwn(pipeline.inputs, name) ? pipeline.inputs[name] : undefined
      if (input && template.kind === 'value') files.push(...filesIn(input, template.value))
    }
  }
  const absolute = (paths: readonly Json[]) =>
    paths.filter((path) => typeof path === 'string').map((path) => resolve(folder, path))
  return { files: absolute(files), pipelines: absolute(pipelines) }
}
