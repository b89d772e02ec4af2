import { FINAL_STATUSES, UNFINISHED_STATUSES } from '../../../../core/format/statuses.ts'
import type { ApiInputOf } from '../../../api/operations.ts'
import type { RunItem } from '../../api/types.ts'
import { standingOf } from '../../runs/standing-of.ts'

export type RunListFilter = Pick<
  ApiInputOf<'runs.list'>,
  'status' | 'pipeline' | 'trigger' | 'q' | 'partial' | 'error' | 'from' | 'to'
>

/** Statuses that need somebody come first. */
export const FILTER_STATUSES: readonly RunItem['status'][] = [...UNFINISHED_STATUSES.toReversed(), ...FINAL_STATUSES]

/** Reads the filter of a URL. Ignores values that are not a status or a time. */
export function readFilter(query: URLSearchParams): RunListFilter {
  const status = FILTER_STATUSES.filter((one) => query.getAll('status').includes(one))
  const field = (name: string) => query.get(name)?.trim() ?? ''
  const time = (name: string) => (Number.isNaN(Date.parse(field(name))) ? '' : field(name))
  const given = {
    pipeline: field('pipeline'),
    trigger: field('trigger'),
    q: field('q'),
    error: field('error'),
    from: time('from'),
    to: time('to'),
  }
  return {
    ...(status.length > 0 && { status }),
    ...(query.get('partial') === 'true' && { partial: true }),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
  }
}

/** Whether the server must look at each run. If so, a page may have few runs even though there are more. */
export function isLookedFor({ q, trigger }: RunListFilter): boolean {
  return q !== undefined || trigger !== undefined
}

/** Whether a changed run belongs in the list. Uses the same rules as the server. */
export function fitsFilter(
  run: RunItem,
  { status, pipeline, trigger, partial, error, q, from, to }: RunListFilter,
): boolean {
  if (status && !status.includes(run.status)) return false
  if (error !== undefined && run.error?.key !== error) return false
  if (partial && standingOf(run).status !== 'partial') return false
  if (pipeline !== undefined && run.pipeline !== pipeline) return false
  if (trigger !== undefined && run.triggerKind !== trigger && !run.triggerLabel.includes(trigger)) return false
  if (from !== undefined && Date.parse(run.submittedAt) < Date.parse(from)) return false
  if (to !== undefined && Date.parse(run.submittedAt) >= Date.parse(to)) return false
  if (q === undefined) return true
  const texts = [run.runId, run.pipeline, run.triggerLabel, run.error?.message ?? '']
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()))
}
