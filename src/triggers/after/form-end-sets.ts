import type { AfterTrigger } from '../../core/trigger.ts'
import type { OpenEnd } from '../../state/ends.ts'
import type { Mark } from './mark.ts'

/** The end of a run that counts for a trigger. */
export interface CountedEnd extends Pick<OpenEnd, 'runId' | 'origin' | 'pipeline' | 'at'> {
  readonly mark: Mark | undefined
}

/** Ends that belong together, at most one for each pipeline. */
export interface EndSet {
  /** In the order in which they arrived. */
  readonly ends: readonly CountedEnd[]
  /** Whether it has an end for each pipeline. */
  readonly isComplete: boolean
}

interface Together {
  /** Whether a pipeline can have a run with the same mark as a run of another pipeline. */
  readonly shares: (mark: Mark, pipeline: string) => boolean
  /** Whether a set that was accounted for has the mark, but no run of the pipeline. */
  readonly lacked: (mark: Mark, pipeline: string) => boolean
}

/**
 * Groups ends, in their order, into sets. An end goes to the first open set with its mark. A set is open if it has no
 * end of that pipeline yet and its first end was at most `withinMs` earlier. If no open set has the mark, the end goes
 * to the first open set with which it cannot share a mark. If there is none, it begins a new set. `late` are ends whose
 * set no longer waits. Pure. Complete and past sets can be left out of the next call without changing the others.
 */
export function formEndSets(
  ends: readonly CountedEnd[],
  { pipelines, withinMs }: Pick<AfterTrigger, 'pipelines' | 'withinMs'>,
  { shares, lacked }: Together,
): { readonly sets: readonly EndSet[]; readonly late: readonly CountedEnd[] } {
  const sets: CountedEnd[][] = []
  const late: CountedEnd[] = []
  let open: CountedEnd[][] = []
  for (const end of ends) {
    const { pipeline, at, mark } = end
    const lacking = open.filter((set) => set.every((other) => other.pipeline !== pipeline))
    const inTime = lacking.filter(([first = end]) => at - first.at <= withinMs)
    const hasMark = (set: readonly CountedEnd[]) => mark && set.some((other) => other.mark?.text === mark.text)
    const isForeign = (set: readonly CountedEnd[]) =>
      set.every((other) => !(other.mark && shares(other.mark, pipeline)) && !(mark && shares(mark, other.pipeline)))
    const shared = inTime.find(hasMark)
    if (!shared && mark && (lacking.some(hasMark) || lacked(mark, pipeline))) {
      late.push(end)
      continue
    }
    const set = shared ?? inTime.find(isForeign)
    if (set) set.push(end)
    else {
      const begun = [end]
      sets.push(begun)
      open.push(begun)
    }
    open = open.filter((each) => each.length < pipelines.length)
  }
  return { sets: sets.map((set) => ({ ends: set, isComplete: set.length === pipelines.length })), late }
}
