import type { OperationId } from '../../contract/operations.ts'
import type { MadeThing } from '../../state/made-things.ts'
import type { MadeFor } from '../made-for.ts'
import { type Listed, makersOf, whyUnnamed } from '../makers-of.ts'
import { type Finding, idsIn, type LostWrite, type ReconcileDeps } from './reconciler.ts'

/**
 * Decides about a request without an answer on the basis of the listed things that it may have made. Leaves out things
 * known to belong to another request: those that `isOfOther` identifies, and those that another request of this state
 * made. While a job of another request is running, or the outcome of another request is not known, a thing with an
 * unknown maker proves nothing if it `mayBeOf` that request.
 */
export async function verdictOfOwn<T>(
  things: readonly T[],
  decide: (own: readonly T[], makerOf: (thing: T) => MadeThing | undefined) => Finding | Promise<Finding>,
  rest: Pick<LostWrite<OperationId>, 'before' | 'confirmed' | 'key' | 'jobId'> & {
    what: MadeFor
    listed: (thing: T) => Listed
    isOfOther: (maker: MadeThing) => boolean | Promise<boolean>
    mayBeOf: (thing: T, asked: MadeThing) => boolean
    deps: ReconcileDeps
  },
): Promise<Finding> {
  const { what, listed, isOfOther, mayBeOf, confirmed, key, jobId, deps } = rest
  const before = idsIn(rest.before)
  const looked = confirmed ? things : things.filter((thing) => !before.includes(listed(thing).id))
  const makers = await makersOf(looked.map(listed), { ...what, request: key }, deps)
  const makerOf = (thing: T) => makers.of(listed(thing).id)
  const others = new Set<T>()
  for (const thing of looked) {
    const maker = makerOf(thing)
    if (!maker) continue
    const isOwn = (jobId !== undefined && maker.job === jobId) || (key !== undefined && maker.request === key)
    if (!isOwn && (!maker.found || (await isOfOther(maker)))) others.add(thing)
  }
  const own = things.filter((thing) => !others.has(thing))
  const verdict = await decide(own, makerOf)
  if (verdict.state !== 'done' || confirmed) return verdict
  const unknown = looked.filter((thing) => makerOf(thing) === undefined)
  const isInQuestion = (asked: MadeThing) =>
    (asked.job === undefined || asked.job !== jobId) && unknown.some((thing) => mayBeOf(thing, asked))
  if (makers.underWay.some(isInQuestion)) return { state: 'inProgress' }
  const unnamed = makers.unnamed.find(isInQuestion)
  return unnamed ? { state: 'ambiguous', why: `${whyUnnamed(unnamed)}: it may be the one that is there` } : verdict
}
