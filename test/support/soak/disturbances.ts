import { setTimeout as sleep } from 'node:timers/promises'
import type { Audience } from '../audience.ts'

/** How many of a hundred disturbances are of each kind. */
type Shares<Kind extends string> = Readonly<Record<Kind, number>>

/** Each kind according to its share, and at least once, in a random order. */
export function kindsInOrder<Kind extends string>(shares: Shares<Kind>, count: number, random: () => number): Kind[] {
  const kinds = Object.keys(shares) as Kind[]
  const deck = kinds.flatMap((kind) => Array<Kind>(shares[kind]).fill(kind))
  const more = Array.from({ length: count - kinds.length }, () => deck[Math.floor(random() * deck.length)]!)
  return [...kinds, ...more]
    .map((kind) => ({ kind, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind)
}

/** Pauses a process, and lets it continue. */
export async function pause(process: Audience, ms: number): Promise<void> {
  process.kill('SIGSTOP')
  await sleep(ms)
  process.kill('SIGCONT')
}
