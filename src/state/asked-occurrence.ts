import type { RunOccurrence } from '../core/engine.ts'
import type { Occurrence } from '../core/occurrence.ts'

/** An occurrence of a pipeline for which a run is requested. */
export type AskedOccurrence = { readonly pipeline: string } & RunOccurrence

/** The request, completed with what is known about the occurrence already. */
export function askedOccurrence(
  { pipeline, trigger, key, at, detail, open }: AskedOccurrence,
  known: Occurrence | undefined,
): Omit<Occurrence, 'state'> {
  const kept = detail ?? known?.detail
  return {
    ...{ pipeline, trigger, key, at },
    ...(kept && { detail: kept }),
    ...((open || known?.open) && { open: true }),
  }
}
