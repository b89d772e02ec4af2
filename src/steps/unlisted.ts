import type { MadeKind, MadeThing } from '../state/made-things.ts'
import { ifAbsent } from './made-other.ts'
import { isNew, stateOfThing } from './makers-of.ts'
import { readAfterJob } from './read-after-job.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/** A wanted thing, or what this state knows about it before the service shows it. */
export type Sought<T> =
  | { readonly state: 'none' }
  | { readonly state: 'there'; readonly thing: T }
  /** Another step has begun to make it. */
  | { readonly state: 'underWay'; readonly jobId: string }
  /** Another step asked for it, and nobody knows whether it was made. */
  | { readonly state: 'unknown'; readonly maker: MadeThing }

/** Reads a thing by its id. Throws if it is not there; returns undefined if the step cannot take it. */
type Read<T> = (known: { id: string; maker: MadeThing }) => Promise<T | undefined>

/** A made thing whose id is known, from its own entry or from its job's entry. */
interface Known {
  readonly maker: MadeThing
  readonly id: string
  /** The service may show it late (decision 141). */
  readonly isLate: boolean
}

/** Looks for a wanted thing that this state made and that is not listed: a list may show it late (decision 138). */
export async function unlisted<T>(
  { kind, name, listed }: { kind: MadeKind; name: string; listed: readonly string[] },
  isWanted: (thing: MadeThing) => boolean | Promise<boolean>,
  read: Read<T>,
  deps: ReconcileDeps,
): Promise<Sought<T>> {
  const known: Known[] = []
  let jobId: string | undefined
  let unknown: MadeThing | undefined
  for (const maker of (await deps.made.named(kind, name)).toReversed()) {
    const { id, job } = maker
    if ((id !== undefined && listed.includes(id)) || !(await isWanted(maker))) continue
    const state = id === undefined ? await stateOfThing(maker, deps) : { state: 'made' as const, id }
    if (state.state === 'made') known.push({ maker, id: state.id, isLate: id === undefined || isNew(maker, deps) })
    else if (state.state === 'underWay') jobId ??= job
    // If one was made later, it no longer matters whether this one was made.
    else if (state.state === 'unnamed' && known.length === 0) unknown ??= maker
  }
  const thing = (await firstThere(known, read).catch(ifAbsent)) ?? (await soonThere(known, read, deps))
  if (thing !== undefined) return { state: 'there', thing }
  if (jobId !== undefined) return { state: 'underWay', jobId }
  return unknown ? { state: 'unknown', maker: unknown } : { state: 'none' }
}

/** Waits for something that may just have been made: reads until it shows, or until waiting is pointless. */
async function soonThere<T>(known: readonly Known[], read: Read<T>, deps: ReconcileDeps): Promise<T | undefined> {
  const fresh = known.filter(({ isLate }) => isLate)
  if (fresh.length === 0) return undefined
  return readAfterJob(() => firstThere(fresh, read), deps).catch(ifAbsent)
}

/** Throws the error of the last read if none of them is there. */
async function firstThere<T>(known: readonly Known[], read: Read<T>): Promise<T | undefined> {
  let absent: unknown
  for (const one of known) {
    try {
      const thing = await read(one)
      if (thing !== undefined) return thing
    } catch (error) {
      ifAbsent(error)
      absent = error
    }
  }
  if (absent !== undefined) throw absent
  return undefined
}
