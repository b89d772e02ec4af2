import { type Block, isBlock, type Pipeline, type StepOrBlock } from '../../core/pipeline.ts'
import type { LiveDocument } from '../../daemon/documents/live-documents.ts'
import type { Answer } from '../api/api-operation.ts'
import type { graphStep } from '../api/run-schemas.ts'
import { notFound } from './api-failure.ts'
import type { ConsoleDeps } from './console-deps.ts'

/** The document of a pipeline that audience start runs. Throws `unknown-pipeline`. */
export function findDocument({ documents }: Pick<ConsoleDeps, 'documents'>, name: string): LiveDocument {
  const found = documents().get(name)
  if (found) return found
  throw notFound(
    'unknown-pipeline',
    `audience start runs no pipeline ${name}`,
    'GET pipelines lists those that there are',
  )
}

type GraphStep = Answer<typeof graphStep>

/** The steps of a document, in order. */
export function graphOf({ steps, onFailure, finally: last }: Pipeline): GraphStep[] {
  const section = (name: GraphStep['section'], own: readonly StepOrBlock[]) =>
    own.flatMap((step) => [graphStepOf(step, name), ...(isBlock(step) ? insideOf(step, name) : [])])
  return [...section('steps', steps), ...section('onFailure', onFailure), ...section('finally', last)]
}

function graphStepOf(step: StepOrBlock, section: GraphStep['section']): GraphStep {
  const { id, name, needs, forEach, at } = step
  return {
    ...{ id, uses: isBlock(step) ? 'forEach' : step.uses, needs, section, line: at.line },
    name,
    forEach: forEach && true,
  }
}

function insideOf({ id, steps }: Block, section: GraphStep['section']): GraphStep[] {
  return steps.map((step) => ({ ...graphStepOf(step, section), block: id }))
}
