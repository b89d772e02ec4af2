import { partnerText } from '../../../core/format/partner-text.ts'
import type { RunItem, StepItem } from '../api/types.ts'
import { capitalised } from '../format/words.ts'

export type Shown = Pick<RunItem, 'failures' | 'failuresOf' | 'partnerWaits'> &
  Pick<StepItem, 'items'> & { readonly status: string }

/** The status as it is shown. Partial success and a wait for a partner look different from other statuses. */
export function standingOf(shown: Shown): { readonly status: string; readonly text?: string } {
  const { status, items, partnerWaits, failures = items?.failed ?? 0, failuresOf = items?.total ?? failures } = shown
  if (status === 'running' && partnerWaits) return { status: 'partner', text: capitalised(partnerText(partnerWaits)) }
  if (status !== 'succeeded' || failures === 0) return { status }
  return { status: 'partial', text: `Succeeded, ${failures} of ${failuresOf} failed` }
}
