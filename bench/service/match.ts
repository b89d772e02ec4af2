import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild } from '../support/child.ts'
import { compare } from '../support/compare.ts'
import { printReport, type Row } from '../support/report.ts'
import { median } from '../support/stats.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import type { Figures, Work } from './work.ts'

/** A segment from a large file against a large graph, then a match, compared to the same SQL typed into DuckDB. */
const PEOPLE = 10_000_000
const ROWS = 4_900_000
const ROUNDS = 5
const MEBIBYTE = 1024 * 1024

await withTempFolder(async (folder) => {
  const dataDir = join(folder, 'data')
  const csvFile = join(folder, 'emails.csv')
  await mkdir(dataDir)
  const setUp = startChild(new URL('engine-child.ts', import.meta.url))
  await setUp.ask('setUp', { dataDir, csvFile, people: PEOPLE, rows: ROWS }).finally(() => setUp.stop())
  const { size } = await stat(csvFile)

  const engine = new URL('engine-child.ts', import.meta.url)
  const byHand = new URL('by-hand-child.ts', import.meta.url)
  const run = async (module: URL, more: object, kept: Figures[]) => {
    const child = startChild(module)
    const work: Work = { dataDir, csvFile, people: PEOPLE, target: join(folder, 'result') }
    try {
      const figures = await child.ask<Figures>('measure', { ...work, ...more })
      kept.push(figures)
      return (figures.segmentMs + figures.matchMs) / 1000
    } finally {
      await child.stop()
    }
  }
  const rows: Row[] = []
  const notes = [
    `${ROUNDS} rounds, each in a process of its own; ${(size / 1e6).toFixed(0)} MB, ${ROWS} e-mail addresses.`,
  ]
  for (const [name, tuned] of [
    ['segment and match; by hand with the same DuckDB settings', true],
    ["segment and match; by hand with DuckDB's defaults", false],
  ] as const) {
    const kept: { ours: Figures[]; peer: Figures[] } = { ours: [], peer: [] }
    const row = await compare({
      name,
      unit: 's',
      rounds: ROUNDS,
      ours: () => run(engine, {}, kept.ours),
      peer: () => run(byHand, { tuned }, kept.peer),
      limit: { atMost: 1.3 },
    })
    const counts = new Set([...kept.ours, ...kept.peer].map(({ members, matchCount }) => `${members}/${matchCount}`))
    if (counts.size !== 1) throw new Error(`the two sides disagree: ${[...counts].join(', ')}`)
    rows.push({ ...row, 'peak memory': `${peak(kept.ours)} / ${peak(kept.peer)} MB` })
    notes.push(`${name}: ${parts(kept.ours)}; by hand ${parts(kept.peer)}; members/matched ${[...counts][0]}`)
  }
  printReport('Segment and match of the engine (ours) beside the same SQL by hand (peer)', rows, notes)
})

function peak(figures: readonly Figures[]): string {
  return Math.round(Math.max(...figures.map(({ peakBytes }) => peakBytes)) / MEBIBYTE).toString()
}

function parts(figures: readonly Figures[]): string {
  const segment = median(figures.map(({ segmentMs }) => segmentMs))
  const match = median(figures.map(({ matchMs }) => matchMs))
  return `segment ${Math.round(segment)} ms, match ${Math.round(match)} ms`
}
