import type { TriggerRef } from '../../core/occurrence.ts'
import type { AfterTrigger } from '../../core/trigger.ts'
import type { Ends, OpenEnd } from '../../state/ends.ts'
import { decideSets, type SetDecision } from './decide-sets.ts'
import { type CountedEnd, formEndSets } from './form-end-sets.ts'
import { type Mark, markOf } from './mark.ts'
import type { SharesMark } from './shares-mark.ts'

/** A trigger that starts runs after other pipelines, with its name and the name of its pipeline. */
export interface NamedAfter {
  readonly ref: TriggerRef
  readonly trigger: AfterTrigger
}

/** What is known about the sets of a trigger. */
interface Sets {
  readonly decided: readonly SetDecision[]
  /** Runs whose ends do not count. */
  readonly others: readonly string[]
  /** The ends that are waiting for the ends of other pipelines. */
  readonly waiting: readonly { readonly ends: readonly CountedEnd[]; readonly until: number }[]
  /** When the first of these stops waiting; `Infinity` if none waits. */
  readonly nextAt: number
}

/** The maximum number of sets in one transaction. */
const AT_ONCE = 100

/** The sets of a trigger as they are now; nothing is recorded. */
export async function setsOf(
  { ref, trigger }: NamedAfter,
  {
    ends,
    ...moment
  }: {
    ends: Pick<Ends, 'open' | 'taken'>
    shares: SharesMark
    now: number
    pausedAt: number | undefined
  },
): Promise<Sets> {
  const open = await ends.open(ref)
  if (open.length === 0) return { decided: [], others: [], waiting: [], nextAt: Number.POSITIVE_INFINITY }
  const counted = countedEnds(open, trigger)
  const marks = [...new Set(counted.flatMap(({ mark }) => mark?.text ?? []))]
  const taken = marks.length === 0 ? [] : await ends.taken(ref, marks)
  const lacked = (mark: Mark, pipeline: string) => {
    const ofMark = taken.filter((one) => one.mark === mark.text)
    return ofMark.some(({ key }) => ofMark.every((one) => one.key !== key || one.pipeline !== pipeline))
  }
  const formed = formEndSets(counted, trigger, { shares: moment.shares, lacked })
  const ids = new Set(counted.map(({ runId }) => runId))
  const { decided, nextAt } = decideSets(formed, trigger, moment)
  const settled = new Set(decided.flatMap(({ members }) => members.map(({ runId }) => runId)))
  return {
    decided,
    nextAt,
    others: open.flatMap(({ runId }) => (ids.has(runId) ? [] : [runId])),
    waiting: formed.sets.flatMap((set) => {
      const [first] = set.ends
      if (!first || settled.has(first.runId)) return []
      return [{ ends: set.ends, until: first.at + trigger.withinMs }]
    }),
  }
}

/**
 * Records the outcome of each of a trigger's sets once, even if other processes do the same. Resolves to the outcomes,
 * and to the time when the next set stops waiting. Rejects if the state fails.
 */
export async function accountForEnds(
  named: NamedAfter,
  deps: Parameters<typeof setsOf>[1] & { ends: Pick<Ends, 'account'> },
): Promise<Pick<Sets, 'decided' | 'nextAt'>> {
  const { decided, others, nextAt } = await setsOf(named, deps)
  if (others.length > 0) await deps.ends.account(named.ref, { sets: [], others })
  for (let first = 0; first < decided.length; first += AT_ONCE)
    await deps.ends.account(named.ref, { sets: decided.slice(first, first + AT_ONCE), others: [] })
  return { decided, nextAt }
}

/**
 * The ends that count according to `on`: only runs of this service that no step started, and only the first end among a
 * run and its retries.
 */
function countedEnds(open: readonly OpenEnd[], { pipelines, on }: AfterTrigger): CountedEnd[] {
  const origins = new Set<string>()
  return open.flatMap(({ runId, origin, pipeline, at, status, isOurs, startedBy, occurrence, isCounted }) => {
    const isWanted = isOurs && !isCounted && startedBy !== 'run' && pipelines.includes(pipeline)
    if (!isWanted || !counts(status, on) || origins.has(origin)) return []
    origins.add(origin)
    return [{ runId, origin, pipeline, at, mark: markOf(occurrence) }]
  })
}

function counts(status: OpenEnd['status'], on: AfterTrigger['on']): boolean {
  switch (on) {
    case 'success':
      return status === 'succeeded'
    case 'failure':
      return status === 'failed'
    case 'any':
      return status !== undefined
  }
}
