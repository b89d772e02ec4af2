import { dirname, resolve } from 'node:path'
import type { UnreadText } from '../core/decode-text.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { isBlock, type Pipeline, sectionEntries, stepsOf } from '../core/pipeline.ts'
import { STEP_KEY } from '../core/run.ts'
import { NESTING_STEP } from '../core/step-type.ts'
import { literalOf } from '../core/template.ts'
import type { DiagnosticCollector, Problem } from '../document/diagnostic-collector.ts'
import { type DocumentNode, textOf } from '../document/document-node.ts'
import { stepsIn } from './steps-below.ts'

/** Which names of steps are accepted besides the pipeline's own steps. */
interface Wanted {
  /** The id of a step of a block. */
  readonly inside?: true
  /** A step of a pipeline that a step runs: `refresh/ask`. */
  readonly below?: true
}

/** The folder of a document, and a reader for the documents that its steps run. */
interface Place {
  readonly pipelineFolder: string
  readonly deps: {
    readonly readPipeline: (
      file: string,
      profile: string | undefined,
    ) => { readonly pipeline?: Pipeline } | UnreadText | undefined
  }
}

/** The tested document. If it is undefined because there is no valid one, nothing is checked. */
interface Tested extends Place {
  readonly pipeline: Pipeline | undefined
  readonly reporter: DiagnosticCollector
}

/** The name of a step. Reports a name that the pipeline does not have. */
export function stepName(node: DocumentNode | undefined, reading: Tested, { inside, below }: Wanted = {}): string {
  const name = textOf(node)
  if (node && name !== undefined && name !== '' && reading.pipeline) {
    const problem = below
      ? problemBelow(stepsIn(name), reading.pipeline, reading)
      : problemOfStep(name, reading.pipeline, inside)
    if (problem) reading.reporter.error({ code: 'unknown-step', ...problem }, node)
  }
  return name ?? ''
}

function problemBelow(
  [name, ...below]: readonly [string, ...string[]],
  pipeline: Pipeline,
  { pipelineFolder, deps }: Place,
): Omit<Problem, 'code'> | undefined {
  const problem = problemOfStep(name, pipeline)
  const [first, ...others] = below
  if (problem || first === undefined) return problem
  const [, id, inner = id] = STEP_KEY.exec(name) ?? []
  const step = stepsOf(pipeline).find((one) => one.id === inner)
  if (step?.uses !== NESTING_STEP) return { message: `step ${name} does not run a pipeline`, hint: `write ${name}` }
  const file = literalOf(step.with, 'file')
  // Only the run knows a computed path.
  if (typeof file !== 'string') return undefined
  const path = resolve(pipelineFolder, file)
  const nested = deps.readPipeline(path, undefined)
  if (!nested || !('pipeline' in nested) || !nested.pipeline) return undefined
  return problemBelow([first, ...others], nested.pipeline, { pipelineFolder: dirname(path), deps })
}

function problemOfStep(name: string, pipeline: Pipeline, inside?: true): Omit<Problem, 'code'> | undefined {
  const entries = sectionEntries(pipeline)
  const [, id = '', inner] = STEP_KEY.exec(name) ?? []
  const entry = entries.find((one) => one.id === id)
  if (!entry) {
    const block = entries.filter(isBlock).find(({ steps }) => steps.some((one) => one.id === name))
    if (block && inside) return undefined
    const hint = block
      ? `it is inside the forEach ${block.id}: write ${block.id}[KEY].${name}`
      : didYouMean(
          name,
          entries.map((one) => one.id),
        )
    return { message: `the pipeline ${pipeline.name} has no step ${name}`, hint }
  }
  if (name !== id && !entry.forEach) return { message: `step ${id} has no forEach`, hint: `write ${id}` }
  if (inner === undefined) return undefined
  const within = isBlock(entry) ? entry.steps.map((one) => one.id) : []
  if (within.includes(inner)) return undefined
  return { message: `the forEach ${id} has no step ${inner}`, hint: didYouMean(inner, within) }
}
