import type { MadeThing } from '../../state/made-things.ts'
import type { MadeFor } from '../made-for.ts'
import { type Listed, makersOf } from '../makers-of.ts'
import type { ReconcileDeps, Verdict } from './reconciler.ts'

/**
 * Decides by the listed things that may be what a request without an answer made. Leaves out what is known to be of
 * another request: what `isOfOther` target, and what another request of this state made. While a job of another request
 * is at work, a thing of an unknown maker proves nothing.
 */
export async function verdictOfOwn<T>(
  things: readonly T[],
  decide: (own: readonly T[]) => Verdict | Promise<Verdict>,
  rest: {
    readonly what: MadeFor
    readonly listed: (thing: T) => Listed
    readonly isOfOther: (maker: MadeThing) => boolean | Promise<boolean>
    readonly before: readonly string[]
    readonly confirmed: boolean
    /** The job of the request, if known. */
    readonly jobId: string | undefined
    readonly deps: ReconcileDeps
  },
): Promise<Verdict> {
  const { what, listed, isOfOther, before, confirmed, jobId, deps } = rest
  const looked = confirmed ? things : things.filter((thing) => !before.includes(listed(thing).id))
  const makers = await makersOf(looked.map(listed), what, deps)
  const others = new Set<T>()
  for (const thing of looked) {
    const maker = makers.of(listed(thing).id)
    if (!maker) continue
    const isOfOwnJob = jobId !== undefined && maker.job === jobId
    if (!isOfOwnJob && (!maker.found || (await isOfOther(maker)))) others.add(thing)
  }
  const verdict = await decide(things.filter((thing) => !others.has(thing)))
  if (verdict.state !== 'done' || confirmed) return verdict
  const isOfAnother = ({ job }: MadeThing) => job !== jobId
  if (makers.underWay.some(isOfAnother)) return { state: 'inProgress' }
  const [unnamed] = makers.unnamed.filter(isOfAnother)
  if (!unnamed) return verdict
  const why = `run ${unnamed.runId} started job ${unnamed.job}, which does not say what it made: it may be the one that is there`
  return { state: 'ambiguous', why }
}
