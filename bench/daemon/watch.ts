import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine } from '../engine/describe-machine.ts'
import { median, quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { startChild } from '../support/child.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import type { AtRest, Way } from './watch-child.ts'

const FOLDERS = Number(process.argv[2] ?? 1000)
const REST_MS = Number(process.argv[3] ?? 20_000)
const FILES_IN_EACH = 5
const SETTLE_MS = 500
const DROPS = 100
const FLOOD = 10_000
/** A share of a core: the limit for everything that an idle daemon does. */
const MOST_CPU = 0.01

const child = new URL('watch-child.ts', import.meta.url)
// The memory that only the start needed must not count as memory that stays in use.
process.execArgv.push('--expose-gc')

const WAYS: readonly (readonly [Way, string])[] = [
  ['nothing', 'nothing watched'],
  ['ours', 'ours: chokidar’s events, and each folder’s time looked at every 5 s'],
  ['chokidar', 'chokidar alone, all folders given at once'],
  ['fs.watch', 'node:fs watch alone'],
  ['stat', 'each folder’s time looked at every 5 s, alone'],
  ['readdir', 'each folder read every 5 s'],
]

await withTempFolder(async (root) => {
  const rows: string[][] = []
  for (const [way, what] of WAYS) {
    const { startMs, grownMb, heapMb, cpu } = await inChild<AtRest>('atRest', {
      way,
      folders: folders(root, way),
      ms: REST_MS,
    })
    const verdictOf = way === 'ours' ? verdict(cpu < MOST_CPU) : ''
    rows.push([
      what,
      `${grownMb.toFixed(0)} MB`,
      `${heapMb.toFixed(1)} MB`,
      `${(cpu * 100).toFixed(2)} %`,
      `${startMs.toFixed(0)} ms`,
      verdictOf,
    ])
  }
  printTable(
    [
      `${FOLDERS} folders of ${FILES_IN_EACH} files at rest`,
      'resident memory',
      'heap',
      'of a core (< 1 %)',
      'start',
      '',
    ],
    rows,
  )
  const drops = { folders: folders(root, 'latency'), settleMs: SETTLE_MS, drops: DROPS }
  const beside = (await inChild<number[]>('latency', drops)).map((ms) => ms - SETTLE_MS)
  const flood = await inChild<Record<'firedMs' | 'filedMs' | 'cpuMs' | 'grownMb', number>>('flood', {
    folder: folders(root, 'flood', 1)[0],
    files: FLOOD,
  })
  console.log()
  printTable(
    ['figure', 'measured'],
    [
      [`dropped file to its run beside the settle time of ${SETTLE_MS} ms, p50`, `${median(beside).toFixed(1)} ms`],
      ['… p99', `${quantile(beside, 0.99).toFixed(1)} ms`],
      [`${FLOOD} files at once, until the last has its run`, `${(flood.firedMs / 1000).toFixed(1)} s`],
      ['… until the last is moved', `${(flood.filedMs / 1000).toFixed(1)} s`],
      ['… processor a file', `${(flood.cpuMs / FLOOD).toFixed(2)} ms`],
      ['… growth of resident memory, peak', `${flood.grownMb.toFixed(0)} MB`],
    ],
  )
  console.log(describeMachine())
})

function folders(root: string, name: string, count = FOLDERS): string[] {
  return Array.from({ length: count }, (_, number) => {
    const folder = join(root, name, `folder-${number}`)
    mkdirSync(folder, { recursive: true })
    for (let file = 0; file < FILES_IN_EACH; file++) writeFileSync(join(folder, `${file}.txt`), 'of another pattern')
    return folder
  })
}

async function inChild<Answer>(verb: string, input: unknown): Promise<Answer> {
  const started = startChild(child)
  try {
    return await started.ask<Answer>(verb, input)
  } finally {
    await started.stop()
  }
}
