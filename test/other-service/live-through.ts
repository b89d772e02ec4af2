import { join } from 'node:path'
import { tempFolder } from '../support/temp-folder.ts'
import { type Bench, type Night, openBench } from './nights.ts'
import type { Ways } from './ways.ts'

/** What three nights are to come to: everything made, nothing to do, other people in the file. */
export const THREE_NIGHTS = [
  '0 created created created',
  '0 unchanged unchanged unchanged',
  '0 refreshed refreshed unchanged',
  { segments: 1, matches: 1, activations: 1 },
]

/** The actions, or the error, of each night, and what the service holds afterwards. */
export async function threeNights(ways: Partial<Ways>): Promise<unknown[]> {
  await using bench = await openBench(join(tempFolder(), 'bench'), ways)
  const nights = []
  for (const people of [120, 120, 140]) nights.push(told(await bench.run('nightly.yaml', { people })))
  return [...nights, bench.counts()]
}

/** One of each for each of two runs. */
export const QUICKSTARTS = ['0 succeeded', '0 succeeded', { segments: 2, matches: 2, activations: 2 }]

export async function quickstartTwice(ways: Partial<Ways>): Promise<unknown[]> {
  await using bench = await openBench(join(tempFolder(), 'bench'), ways)
  const once = async ({ run }: Bench) => {
    const { code, state, message } = await run('quickstart.yaml')
    return `${code} ${state} ${message}`.trim()
  }
  return [await once(bench), await once(bench), bench.counts()]
}

/** A night in a line: the exit code, and the actions or what went wrong. */
function told({ code, state, message, outputs: { segment, match, activation } }: Night): string {
  return state === 'succeeded' ? `${code} ${segment} ${match} ${activation}` : `${code} ${state}: ${message}`
}
