/** An exchange at which a process dies: the nth of its kind, before the request arrives or before the answer does. */
export interface Death {
  readonly exchange: string
  readonly nth: number
  readonly when: 'before' | 'after'
}

/** The result of a run. */
export interface Outcome {
  readonly status: string | undefined
  /** The steps that wait for a person. */
  readonly held: readonly string[]
  readonly live: Readonly<Record<'segments' | 'matches' | 'activations', number>>
}

/** `POST /api/segments`: without the participant's prefix, the query, and random ids. */
export function askedOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(/^\/p\/\d+|\?.*/g, '').replaceAll(/[0-9a-f]{24}/g, '#')}`
}
