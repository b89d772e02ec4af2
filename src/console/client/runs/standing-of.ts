import type { Run, Step } from '../api/types.ts'

export type Shown = Pick<Run, 'failures' | 'failuresOf'> & Pick<Step, 'items'> & { readonly status: string }

/** A status as it is shown: success in part has a look of its own. */
export function standingOf(shown: Shown): { readonly status: string; readonly text?: string } {
  const { status, items, failures = items?.failed ?? 0, failuresOf = items?.total ?? failures } = shown
  if (status !== 'succeeded' || failures === 0) return { status }
  return { status: 'partial', text: `Succeeded, ${failures} of ${failuresOf} failed` }
}
