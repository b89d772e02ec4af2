import { setTimeout as sleep } from 'node:timers/promises'
import { startChromium } from '../../test/console/browser/support/start-chromium.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { median } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { signedIn } from './bench-browser.ts'
import { type BenchConsole, withBenchConsole } from './bench-console.ts'

/** What an open console costs the daemon in memory. Usage: node memory.ts [RUNS] [SETTLE_MS] */
const RUNS = Number(process.argv[2] ?? 100_000)
/** Long enough for the process to free memory that it used only for a while. */
const SETTLE_MS = Number(process.argv[3] ?? 45_000)
const ROUNDS = 3
const MOST_MB = 30
const PAGES = [
  '',
  'runs',
  'runs?status=failed',
  'pipelines',
  'pipelines/pipeline-7',
  'schedules',
  'files',
  'system',
  '',
]

const browser = await startChromium()
const rows: string[][] = []
const growths: number[] = []
for (let round = 1; round <= ROUNDS; round++) {
  await withBenchConsole({ history: RUNS }, async (console) => {
    // The runs of the bench were started through the API, which loaded all code. After a restart, nothing has requested
    // anything.
    await console.restart()
    const before = await residentMb(console)
    const context = await signedIn(browser, console)
    const page = await context.newPage()
    for (const path of PAGES) {
      await page.goto(new URL(path, console.url).href)
      await page.getByText('Live', { exact: true }).waitFor()
    }
    const open = await residentMb(console)
    await context.close()
    const closed = await residentMb(console)
    growths.push(open - before)
    rows.push([`round ${round}`, ...[before, open, closed, open - before].map((mb) => `${mb.toFixed(1)} MB`), ''])
  })
}
await browser.close()
const growth = median(growths)
rows.push(['median', '', '', '', `${growth.toFixed(1)} MB`, verdict(growth <= MOST_MB)])
printTable(
  ['resident memory', 'nobody asked', 'a page is open', 'closed again', 'an open page costs', `≤ ${MOST_MB} MB`],
  rows,
)
process.stdout.write(`Each ${SETTLE_MS / 1000} s later, ${PAGES.length} pages were opened.\n${describeMachine()}\n`)

async function residentMb({ daemon }: BenchConsole): Promise<number> {
  await sleep(SETTLE_MS)
  return daemon().usage().residentMb
}
