import type { Row } from './report.ts'
import { median } from './stats.ts'

/** The limit that a claim sets for the ratio of our figure to the peer's. */
export type Limit = { readonly atLeast: number } | { readonly atMost: number } | 'none'

export interface Comparison {
  readonly name: string
  readonly unit: string
  readonly rounds: number
  readonly ours: () => Promise<number> | number
  readonly peer: () => Promise<number> | number
  readonly limit: Limit
}

/**
 * Measures both sides in turn, after one round that does not count; every second round begins with the other side. The
 * ratio is the median of the ratios of the rounds, so it changes little if something disturbs both sides.
 */
export async function compare({ name, unit, rounds, ours, peer, limit }: Comparison): Promise<Row> {
  await peer()
  await ours()
  const pairs: { ours: number; peer: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.push({ ours: await ours(), peer: await peer() })
    else {
      const first = await peer()
      pairs.push({ ours: await ours(), peer: first })
    }
  }
  const ratios = pairs.map((pair) => pair.ours / pair.peer)
  const ratio = median(ratios)
  return {
    claim: name,
    ours: `${shown(median(pairs.map((pair) => pair.ours)))} ${unit}`,
    peer: `${shown(median(pairs.map((pair) => pair.peer)))} ${unit}`,
    ratio: ratio.toFixed(2),
    'min–max': `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    limit: limit === 'none' ? '' : 'atLeast' in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`,
    result: verdict(ratio, limit),
  }
}

/** Returns `pass` or `FAIL`; with `FAIL`, the process fails, too. */
export function verdict(ratio: number, limit: Limit): string {
  if (limit === 'none') return ''
  const holds = 'atLeast' in limit ? ratio >= limit.atLeast : ratio <= limit.atMost
  if (!holds) process.exitCode = 1
  return holds ? 'pass' : 'FAIL'
}

export function shown(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
