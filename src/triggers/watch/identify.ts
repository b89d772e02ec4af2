import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'

/** `same`: another occurrence accounts for the content. */
export type Identity =
  | { readonly state: 'new'; readonly key: string }
  | { readonly state: 'same'; readonly as: Occurrence }

/**
 * Whether a content gets a run. Its runs have the keys `<sha256>`, `<sha256>#2` and so on. A new one is made if the
 * last one did not succeed, or if the document wants a run each time.
 */
export async function identify(
  occurrenceStore: Pick<OccurrenceStore, 'find'>,
  ref: TriggerRef,
  { sha256, repeat }: { readonly sha256: string; readonly repeat: boolean },
): Promise<Identity> {
  const find = (number: number) => occurrenceStore.find({ ...ref, key: keyOf(sha256, number) })
  const count = await lastOf(async (number) => (await find(number)) !== undefined)
  const last = count === 0 ? undefined : await find(count)
  if (!last || repeat || cameToNothing(last)) return { state: 'new', key: keyOf(sha256, count + 1) }
  return { state: 'same', as: last }
}

/** Its run ended without success, or there was no run. */
function cameToNothing({ state, open, detail }: Occurrence): boolean {
  if (state === 'ran') return !open && detail?.outcome !== 'succeeded'
  return state !== 'due'
}

function keyOf(sha256: string, number: number): string {
  return number === 1 ? sha256 : `${sha256}#${number}`
}

/**
 * The largest number that exists, given that all numbers below it exist. A content that is dropped every night has
 * thousands.
 */
async function lastOf(exists: (number: number) => Promise<boolean>): Promise<number> {
  let high = 1
  while (await exists(high)) high *= 2
  let low = high >> 1
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (await exists(middle)) low = middle
    else high = middle
  }
  return low
}
