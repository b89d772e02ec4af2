import type { Page } from 'playwright-core'
import { startChromium } from '../../test/console/browser/support/start-chromium.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { median } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { signedIn } from './bench-browser.ts'
import { withBenchConsole } from './bench-console.ts'

/** How soon a page shows a new run, and how soon it follows a daemon that was killed. Usage: node live.ts [RUNS] */
const RUNS = Number(process.argv[2] ?? 100_000)
const TIMES = 21
const KILLS = 5
const VISIBLE_MS = 500
const LIVE_MS = 3000

/** In the page: when each run was first shown, by the clock of this machine. */
const WATCH = `window.shown = new Map()
new MutationObserver(() => {
  for (const row of document.querySelectorAll('[data-run]')) {
    const id = row.getAttribute('data-run')
    if (!window.shown.has(id)) window.shown.set(id, Date.now())
  }
}).observe(document, { subtree: true, childList: true })`

const browser = await startChromium()
await withBenchConsole({ history: RUNS }, async (console) => {
  const context = await signedIn(browser, console)
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.goto(new URL('runs', console.url).href)
  await untilLive(page)
  const delays: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const runId = await console.start('ask')
    await page.locator(`[data-run="${runId}"]`).waitFor()
    const shownAt = (await page.evaluate(`window.shown.get('${runId}')`)) as number
    const { run } = JSON.parse(await console.get(`runs/${runId}`)) as { run: { submittedAt: string } }
    delays.push(shownAt - Date.parse(run.submittedAt))
  }
  const lives: number[] = []
  for (let n = 0; n < KILLS; n++) {
    await console.restart()
    const begun = performance.now()
    await untilLive(page)
    lives.push(performance.now() - begun)
  }
  await context.close()
  printTable(
    [`at ${RUNS.toLocaleString('en')} runs`, 'median', 'longest', 'limit of the median', ''],
    [
      rowOf(`a run was recorded, until a page shows it (${TIMES} times)`, delays, VISIBLE_MS),
      rowOf(`ready after a kill, until a page is live again without signing in (${KILLS} times)`, lives, LIVE_MS),
    ],
  )
})
await browser.close()
process.stdout.write(`${describeMachine()}\n`)

function rowOf(name: string, times: readonly number[], most: number): string[] {
  const ms = median(times)
  return [name, `${ms.toFixed(0)} ms`, `${Math.max(...times).toFixed(0)} ms`, `≤ ${most} ms`, verdict(ms <= most)]
}

async function untilLive(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('audience start has not answered since').waitFor({ state: 'detached' })
}
