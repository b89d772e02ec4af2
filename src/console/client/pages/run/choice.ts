/** The chosen part of a run: a step, an item of a forEach, or a step inside an item. */
export interface Choice {
  readonly step: string | undefined
  readonly index?: number | undefined
  readonly inner?: string | undefined
}

/** The choice that a URL names. */
export function choiceInUrl(query: URLSearchParams): Choice {
  const index = query.get('index')
  return {
    step: query.get('step') ?? undefined,
    index: index !== null && /^\d+$/.test(index) ? Number(index) : undefined,
    inner: query.get('inner') ?? undefined,
  }
}

/** Turns a step into a choice. A step inside a forEach is an inner choice of that forEach. */
export function choiceOf(step: { step: string; index?: number; block?: string }): Choice {
  const { block, index } = step
  return block === undefined ? { step: step.step, index } : { step: block, index, inner: step.step }
}
