import type { Finding } from './reconciler.ts'

/** The facts that decide which of the fitting things the request made. */
export interface KnownBefore {
  readonly idsBefore: readonly string[]
  readonly confirmed: boolean
}

/** The one thing that did not exist before. If a person has said that it was made, the newest one counts. */
export function newOne<T>(
  fitting: readonly T[],
  idOf: (thing: T) => string,
  { idsBefore, confirmed }: KnownBefore,
): { readonly state: 'one'; readonly thing: T } | Extract<Finding, { state: 'notVisible' | 'ambiguous' }> {
  const fresh = fitting.filter((thing) => !idsBefore.includes(idOf(thing)))
  const newest = fresh.at(-1) ?? (confirmed ? fitting.at(-1) : undefined)
  if (newest === undefined) return { state: 'notVisible' }
  if (fresh.length <= 1 || confirmed) return { state: 'one', thing: newest }
  return { state: 'ambiguous', why: `there are ${fresh.length} of them: ${fresh.map(idOf).join(', ')}` }
}
