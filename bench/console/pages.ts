import type { Browser } from 'playwright-core'
import { startChromium } from '../../test/console/browser/support/start-chromium.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { median } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { signedIn } from './bench-browser.ts'
import { type BenchConsole, withBenchConsole } from './bench-console.ts'

/** How soon a cold browser paints a page and shows its content. Usage: node pages.ts [RUNS] */
const RUNS = Number(process.argv[2] ?? 100_000)
const TIMES = 5
const PAINT_MS = 500
const CONTENT_MS = 1000
const CONTENT_OF_MANY_MS = 1200
const MOST_BYTES = 150_000

/** In the page: records when its heading is there and nothing is loading any more. */
const WATCH = `window.content = new Promise((resolve) => {
  const look = () => {
    const isThere = document.querySelector('main h1') && !document.querySelector('main .loading')
    if (isThere) resolve(performance.now())
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`
const FIGURES = `window.content.then((content) => ({
  content,
  paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? content,
  bytes: performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.includes('/api/v1/'))
    .reduce((sum, one) => sum + one.decodedBodySize, 0),
}))`

interface Figures {
  readonly paint: number
  readonly content: number
  /** The decoded size of the API's answers. */
  readonly bytes: number
}

const PAGES: Readonly<Record<string, (runs: BenchConsole['runs']) => string>> = {
  'needs you': () => '',
  runs: () => 'runs',
  'a run': ({ waiting }) => `runs/${waiting}`,
  'a forEach of 2,000': ({ many }) => `runs/${many}?step=look`,
  pipelines: () => 'pipelines',
  'a pipeline': () => 'pipelines/pipeline-7',
  schedules: () => 'schedules',
  system: () => 'system',
}

const browser = await startChromium()
for (const history of [0, RUNS]) {
  await withBenchConsole({ history }, async (console) => {
    const rows: string[][] = []
    for (const [name, addressOf] of Object.entries(PAGES)) {
      const url = new URL(addressOf(console.runs), console.url).href
      const all: Figures[] = []
      for (let n = 0; n < TIMES; n++) all.push(await open(browser, console, url))
      const [paint, content] = [median(all.map((one) => one.paint)), median(all.map((one) => one.content))]
      const bytes = Math.max(...all.map((one) => one.bytes))
      const isMany = name.startsWith('a forEach')
      const most = history > 0 && !isMany ? CONTENT_OF_MANY_MS : CONTENT_MS
      const holds = paint <= PAINT_MS && content <= most && (!isMany || bytes <= MOST_BYTES)
      const limits = `≤ ${PAINT_MS}, ${most} ms${isMany ? `, ${MOST_BYTES / 1000} kB` : ''}`
      const kB = `${(bytes / 1000).toFixed(1)} kB`
      rows.push([name, `${paint.toFixed(0)} ms`, `${content.toFixed(0)} ms`, kB, limits, verdict(holds)])
    }
    const runs = `${history.toLocaleString('en')} runs of the past`
    printTable([runs, 'first paint', 'content', 'answers', 'limits', ''], rows)
  })
}
await browser.close()
process.stdout.write(`Medians of ${TIMES}, each in a browser that has loaded nothing yet.\n${describeMachine()}\n`)

async function open(browser: Browser, console: BenchConsole, url: string): Promise<Figures> {
  const context = await signedIn(browser, console)
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.goto(url)
  const figures = (await page.evaluate(FIGURES)) as Figures
  await context.close()
  return figures
}
