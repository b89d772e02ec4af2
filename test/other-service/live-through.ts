import { type Bench, type Night, openBench } from './nights.ts'
import type { LossKind, Ways } from './ways.ts'

/** The actions, or the error, of each night, and what the service holds afterwards. */
export async function threeNights(ways: Partial<Ways>): Promise<unknown[]> {
  await using bench = await openBench(ways)
  const nights = []
  for (const people of [120, 120, 140]) nights.push(told(await bench.run('nightly.yaml', { people })))
  return [...nights, bench.counts()]
}

export async function quickstartTwice(ways: Partial<Ways>): Promise<unknown[]> {
  await using bench = await openBench(ways)
  const once = async ({ run }: Bench) => {
    const { code, state, message } = await run('quickstart.yaml')
    return `${code} ${state} ${message}`.trim()
  }
  return [await once(bench), await once(bench), bench.counts()]
}

/** A night in a line: the exit code, and the actions or what went wrong. */
function told({ code, state, message, outputs: { segment, match, activation } }: Night): string {
  if (state === 'outcome-unknown') return `${code} asks about ${message.split(' (')[1]?.split(')')[0]}`
  return state === 'succeeded' ? `${code} ${segment} ${match} ${activation}` : `${code} ${state}: ${message}`
}

const CREATIONS = ['segments.create', 'matches.create', 'activations.create'] as const
const REFRESHES = ['segments.refresh', 'matches.refresh'] as const

/**
 * A night in which the answer to every creation is lost once, then one of other people in which those to the refreshes are.
 * A person who is asked looks what the service holds and decides by that.
 */
export async function nightsOfLosses(ways: Partial<Ways>, how: LossKind): Promise<unknown[]> {
  await using bench = await openBench(ways)
  const first = await bench.run('nightly.yaml', { losses: CREATIONS.map((operation) => ({ operation, how })) })
  const nights = [told(first)]
  if (first.state === 'outcome-unknown') {
    const { matches, activations } = bench.counts()
    const step = first.message.includes('activations.create') ? 'activate' : 'match'
    const decision = (step === 'match' ? matches : activations) === 0 ? '--again' : '--done'
    const decided = await bench.resume(first.runId, ['--step', step, decision])
    nights.push(`${decision} ${told(decided)}`)
    if (decided.state === 'outcome-unknown') return [...nights, bench.counts()]
  }
  const losses = REFRESHES.map((operation) => ({ operation, how }))
  nights.push(told(await bench.run('nightly.yaml', { people: 140, losses })))
  return [...nights, bench.counts()]
}

/** Two nights, and the state is lost between them. */
export async function nightsWithoutMemory(ways: Partial<Ways>): Promise<unknown[]> {
  await using bench = await openBench(ways)
  const nights = [told(await bench.run('nightly.yaml'))]
  bench.forget()
  nights.push(told(await bench.run('nightly.yaml')))
  return [...nights, bench.counts()]
}
