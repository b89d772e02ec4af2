import { InvalidDocumentError } from '../core/errors.ts'
import { type Block, isBlock, type Pipeline, type StepOrBlock } from '../core/pipeline.ts'
import type { StepRef } from '../core/run.ts'

/** A step of a document, and what it needs. */
export interface GraphStep {
  readonly id: string
  readonly name?: string | undefined
  /** Its step type, or `forEach`. */
  readonly uses: string
  readonly needs: readonly string[]
  readonly section: 'steps' | 'onFailure' | 'finally'
  /** Its line in the document. */
  readonly line: number
  /** The forEach that it is in. */
  readonly block?: string
  readonly forEach?: true | undefined
}

type Graph = readonly Pick<GraphStep, 'id' | 'needs' | 'section' | 'block'>[]

/** The steps of a document, in order. */
export function graphOf({ steps, onFailure, finally: last }: Pipeline): GraphStep[] {
  const section = (name: GraphStep['section'], own: readonly StepOrBlock[]) =>
    own.flatMap((step) => [graphStepOf(step, name), ...(isBlock(step) ? insideOf(step, name) : [])])
  return [...section('steps', steps), ...section('onFailure', onFailure), ...section('finally', last)]
}

/** The steps of a document's text; none if this version cannot read it. */
export function graphUnlessUnreadable(
  source: Source,
  { readPipeline }: { readPipeline: (source: Source) => Pipeline },
): GraphStep[] {
  try {
    return graphOf(readPipeline(source))
  } catch (error) {
    if (error instanceof InvalidDocumentError) return []
    throw error
  }
}

interface Source {
  readonly file: string
  readonly text: string
}

function graphStepOf(step: StepOrBlock, section: GraphStep['section']): GraphStep {
  const { id, name, needs, forEach, at } = step
  return {
    id,
    uses: isBlock(step) ? 'forEach' : step.uses,
    needs,
    section,
    line: at.line,
    name,
    forEach: forEach && true,
  }
}

function insideOf({ id, steps }: Block, section: GraphStep['section']): GraphStep[] {
  return steps.map((step) => ({ ...graphStepOf(step, section), block: id }))
}

/**
 * The steps that begin only after a step: those that need it, directly or through others. For a step inside a forEach:
 * the later steps of its item, and then the steps that need the forEach.
 */
export function stepsAfter(graph: Graph, { step, block }: Pick<StepRef, 'step' | 'block'>): string[] {
  const inside =
    block === undefined
      ? []
      : after(
          graph.filter((one) => one.block === block),
          step,
        )
  const outside = after(
    graph.filter((one) => one.block === undefined && one.section === 'steps'),
    block ?? step,
  )
  return [...inside, ...outside]
}

function after(steps: Graph, first: string): string[] {
  const found = new Set([first])
  // The set grows during the loop.
  for (const last of found) for (const { id, needs } of steps) if (needs.includes(last)) found.add(id)
  return steps.map(({ id }) => id).filter((id) => id !== first && found.has(id))
}
