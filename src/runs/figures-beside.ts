import type { Json } from '../core/json.ts'
import type { RunDescription } from './describe-run.ts'

/** A number among the outputs of a step, in either of two runs. */
export interface FigureBeside {
  readonly step: string
  readonly name: string
  readonly a?: number | undefined
  readonly b?: number | undefined
}

/** The figures of two runs side by side. */
export function figuresBeside(a: RunDescription, b: RunDescription): FigureBeside[] {
  const [figuresA, figuresB] = [figuresOf(a), figuresOf(b)]
  return [...new Set([...figuresA.keys(), ...figuresB.keys()])].map((key) => {
    const [step = '', name = ''] = key.split('\n')
    return { step, name, a: figuresA.get(key), b: figuresB.get(key) }
  })
}

/** The numbers among the outputs of steps, by step and name. */
function figuresOf({ steps }: RunDescription): ReadonlyMap<string, number> {
  return new Map(
    steps.flatMap(({ step, index, outputs }) =>
      index === undefined ? numbersIn(outputs).map(([name, value]) => [`${step}\n${name}`, value] as const) : [],
    ),
  )
}

function numbersIn(outputs: Json | undefined): [string, number][] {
  if (typeof outputs !== 'object' || outputs === null || Array.isArray(outputs)) return []
  return Object.entries(outputs).flatMap(([name, value]) =>
    isFigure(name) && (typeof value === 'number' || typeof value === 'bigint') ? [[name, Number(value)]] : [],
  )
}

/**
 * Whether a number with this name counts or measures something. Ids and participants do not, because nobody adds or
 * compares them.
 */
export function isFigure(name: string): boolean {
  return !/(?:^id|Id|ID|[-_]id|[rR]equest[eo]r|[aA]pprover|[oO]wner)$/.test(name)
}
