/** How the items of a forEach ended. */
export interface ItemsOutcome {
  readonly total: number
  readonly succeeded: number
  /** The names of the items that failed, in order. */
  readonly failed: readonly string[]
}

/** The name of an item beside its forEach: its key, a name found in it, or its position. */
export function itemName(ref: { readonly key?: string; readonly label?: string; readonly index?: number }): string {
  return ref.key ?? ref.label ?? `[${ref.index ?? 0}]`
}

const MOST_NAMED = 5

/** `18 of 20 items succeeded; failed: seg07, seg13`; `20 items` if all succeeded. */
export function describeItems({ total, succeeded, failed }: ItemsOutcome): string {
  const items = total === 1 ? '1 item' : `${total} items`
  if (succeeded === total) return items
  const more = failed.length > MOST_NAMED ? ` and ${failed.length - MOST_NAMED} more` : ''
  const named = failed.length === 0 ? '' : `; failed: ${failed.slice(0, MOST_NAMED).join(', ')}${more}`
  return `${succeeded} of ${items} succeeded${named}`
}
