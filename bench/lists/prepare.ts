import { statSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from '../support/child.ts'
import { compare } from '../support/compare.ts'
import { printReport, type Row } from '../support/report.ts'
import { median } from '../support/stats.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import type { Made } from './prepare-child.ts'

/** A list of five million rows, beside the same list typed into DuckDB by hand. */
const ROWS = 5_000_000
const ROUNDS = 3
const MAX_SECONDS = 60
const MAX_BYTES = 1e9

await withTempFolder(async (folder) => {
  const ask = async <Answer>(verb: string, input: object) => {
    const child = startChild(new URL('prepare-child.ts', import.meta.url))
    return child.ask<Answer>(verb, input).finally(() => child.stop())
  }
  const rows: Row[] = []
  const notes = [`${ROUNDS} rounds, each in a process of its own; ${ROWS} rows in no order, a tenth of them twice.`]
  for (const [format, tuned] of [
    ['csv', true],
    ['csv', false],
    ['parquet', true],
  ] as const) {
    const file = join(folder, `people.${format}`)
    await ask('write', { file, rows: ROWS })
    const ours: Made[] = []
    const peer: Made[] = []
    const side = async (verb: string, kept: Made[]) => {
      const made = await ask<Made>(verb, { file, folder: join(folder, verb), tuned })
      kept.push(made)
      return made.ms / 1000
    }
    const settings = tuned ? 'the same settings' : "DuckDB's defaults"
    const row = await compare({
      name: `${format.toUpperCase()}; by hand with ${settings}`,
      unit: 's',
      rounds: ROUNDS,
      ours: () => side('ours', ours),
      peer: () => side('byHand', peer),
      limit: { atMost: 1.3 },
    })
    const [first] = ours
    if (new Set([...ours, ...peer].map(({ sha256 }) => sha256)).size !== 1) throw new Error('the two sides disagree')
    const slowest = Math.max(...ours.map(({ ms }) => ms)) / 1000
    const largest = Math.max(...ours.map(({ peakBytes }) => peakBytes))
    const parent = Math.max(...ours.map(({ parentBytes = 0 }) => parentBytes))
    if (slowest > MAX_SECONDS || largest > MAX_BYTES) process.exitCode = 1
    const processor = (kept: readonly Made[]) => median(kept.map(({ processorMs }) => processorMs)) / 1000
    const ofPeer = Math.max(...peer.map(({ peakBytes }) => peakBytes))
    rows.push({
      ...row,
      'processor time': `${processor(ours).toFixed(1)} / ${processor(peer).toFixed(1)} s`,
      'slowest (≤ 60 s)': `${slowest.toFixed(1)} s`,
      'peak memory (≤ 1,000 MB)': `${megabytes(largest)} / ${megabytes(ofPeer)} MB`,
      'beside it, in the parent': `${megabytes(parent)} MB`,
    })
    notes.push(`${format}: ${megabytes(statSync(file).size)} MB, ${first?.keys} keys, SHA-256 the same on both sides.`)
  }
  printReport('files.prepare (ours) beside the same list by hand in DuckDB (peer)', rows, notes)
})

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toString()
}
