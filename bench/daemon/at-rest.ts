import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { startNotingService } from './noting-service.ts'
import { type DocumentText, daily, watched, writeDocuments } from './write-documents.ts'
import { writeHistory } from './write-history.ts'

const COUNT = Number(process.argv[2] ?? 1000)
const REST_MS = Number(process.argv[3] ?? 60_000)
const IN_HISTORY = 200_000
const FILES_IN_EACH = 5
const MOST_CPU = 0.01
/** Long enough for the memory that the start needed to be freed, and for all folders to be checked more than twice. */
const SETTLE_MS = 25_000
/** How often a monitor reads. */
const SCRAPE_EVERY_MS = 15_000

interface Scene {
  readonly name: string
  readonly documents: readonly DocumentText[]
  /** The number of past runs and slots in the state. */
  readonly history?: number
  /** Whether a monitor reads /metrics and /readyz. */
  readonly scraped?: boolean
}

const both = numbered(COUNT, (n) => ({
  name: `both-${n}`,
  triggers: [daily('nightly', n), watched(`folder-${n}`, '2s')],
  takesFiles: true,
}))
const all = `${COUNT} schedules and ${COUNT} watched folders in ${COUNT} documents`
const SCENES: readonly Scene[] = [
  { name: 'one schedule', documents: [{ name: 'nightly', triggers: [daily('nightly', 0)] }] },
  {
    name: `${COUNT} schedules in ${COUNT} documents`,
    documents: numbered(COUNT, (n) => ({ name: `nightly-${n}`, triggers: [daily('nightly', n)] })),
  },
  {
    name: `${COUNT} schedules in ${COUNT / 10} documents`,
    documents: numbered(COUNT / 10, (n) => ({
      name: `nightly-${n}`,
      triggers: numbered(10, (m) => daily(`nightly${m}`, n * 10 + m)),
    })),
  },
  {
    name: `${COUNT} watched folders in ${COUNT} documents`,
    documents: numbered(COUNT, (n) => ({
      name: `drop-${n}`,
      triggers: [watched(`folder-${n}`, '2s')],
      takesFiles: true,
    })),
  },
  { name: all, documents: both },
  {
    name: `… with ${IN_HISTORY} runs in the state, and a monitor that reads /metrics and /readyz every 15 s`,
    documents: both,
    history: IN_HISTORY,
    scraped: true,
  },
]

const wanted = process.argv[4] === undefined ? SCENES : SCENES.slice(Number(process.argv[4]))
const rows: string[][] = []
for (const scene of wanted) await withTempFolder(async (root) => void rows.push(await measure(scene, root)))
printTable(
  ['at rest', 'resident memory', 'its peak', 'of a core (< 1 %)', 'written to disk', 'start to ready', ''],
  rows,
)
console.log(
  `Over ${REST_MS / 1000} s, ${SETTLE_MS / 1000} s after the start; ${FILES_IN_EACH} files of another pattern in each folder; one channel to tell people.`,
)
console.log(describeMachine())

async function measure({ name, documents, history = 0, scraped = false }: Scene, root: string): Promise<string[]> {
  writeDocuments(root, documents)
  for (let n = 0; n < COUNT; n++) writeFolder(join(root, 'inbox', `folder-${n}`))
  if (history > 0) writeHistory(join(root, '.audience'), documents, history)
  const service = await startNotingService()
  const daemon = await startDaemonProcess({ root, serviceUrl: service.url })
  const scraping = scraped ? setInterval(() => void scrape(daemon), SCRAPE_EVERY_MS) : undefined
  try {
    await sleep(SETTLE_MS)
    const before = daemon.usage()
    const begin = performance.now()
    await sleep(REST_MS)
    const after = daemon.usage()
    const ms = performance.now() - begin
    const cpu = (after.cpuMs - before.cpuMs) / ms
    return [
      name,
      `${after.residentMb.toFixed(0)} MB`,
      `${after.peakMb.toFixed(0)} MB`,
      `${(cpu * 100).toFixed(2)} %`,
      `${((after.writtenBytes - before.writtenBytes) / ms).toFixed(1)} kB/s`,
      `${(daemon.readyMs / 1000).toFixed(2)} s`,
      verdict(cpu < MOST_CPU),
    ]
  } finally {
    clearInterval(scraping)
    await daemon.stop()
    service.close()
  }
}

async function scrape({ url }: DaemonProcess): Promise<void> {
  for (const path of ['/metrics', '/readyz']) {
    const answer = await fetch(url + path)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  }
}

function writeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < FILES_IN_EACH; n++) writeFileSync(join(folder, `${n}.txt`), 'of another pattern')
}

function numbered<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}
