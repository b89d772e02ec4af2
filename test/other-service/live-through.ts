import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, type Night, openBench, pipelines } from './nights.ts'
import type { LossKind, Ways } from './ways.ts'

/** The actions or the error of each night, and what the service has afterwards. */
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
 * A night on which the answer to every creation is lost once, and then one with other people on which the answers to
 * refreshes are lost. A person who is asked looks at the service and decides.
 */
export async function nightsOfLosses(ways: Partial<Ways>, how: LossKind): Promise<unknown[]> {
  await using bench = await openBench(ways)
  // The step looks for a segment that exists but is not shown, for as long as its job may take.
  const document = readFileSync(join(pipelines, 'nightly.yaml'), 'utf8').replace('timeout: 2h', 'timeout: 90s')
  const first = await bench.run(document, { losses: CREATIONS.map((operation) => ({ operation, how })) })
  const nights = [told(first)]
  for (let last = first; last.state === 'outcome-unknown'; ) {
    const { matches, activations } = bench.counts()
    const isOfMatch = last.message.includes('matches.create')
    const decision = (isOfMatch ? matches : activations) === 0 ? '--again' : '--done'
    last = await bench.resume(first.runId, ['--step', isOfMatch ? 'match' : 'activate', decision])
    nights.push(`${decision} ${told(last)}`)
    if (decision === '--done' && last.state === 'outcome-unknown') return [...nights, bench.counts()]
  }
  const losses = REFRESHES.map((operation) => ({ operation, how }))
  nights.push(told(await bench.run(document, { people: 140, losses })))
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
