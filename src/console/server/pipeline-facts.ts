import type { Pipeline, Step } from '../../core/pipeline.ts'
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
  const section = (name: GraphStep['section'], own: readonly Step[]) => own.map((step) => graphStepOf(step, name))
  return [...section('steps', steps), ...section('onFailure', onFailure), ...section('finally', last)]
}

function graphStepOf({ id, name, uses, needs, forEach, at }: Step, section: GraphStep['section']): GraphStep {
  return {
    id,
    ...(name !== undefined && { name }),
    uses,
    needs,
    ...(forEach && { forEach: true }),
    section,
    line: at.line,
  }
}
