import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { colourViolations, violations } from './support/axe.ts'
import { type FilledBench, startFilledBench } from './support/filled-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { closeVisit, goWithin, openVisit, untilLoaded, type Visit } from './support/visit.ts'

const PAGES: Readonly<Record<string, (runs: FilledBench['runs']) => string>> = {
  home: () => '',
  runs: () => 'runs',
  'runs-partial': () => 'runs?partial=true',
  'runs-empty': () => 'runs?q=nothing-is-called-so',
  'run-good': ({ good }) => `runs/${good}`,
  'run-failed': ({ failed }) => `runs/${failed}`,
  'run-waiting': ({ waiting }) => `runs/${waiting}`,
  'run-partly': ({ partly }) => `runs/${partly}`,
  'run-many': ({ many }) => `runs/${many}?step=match`,
  'run-document': ({ good }) => `runs/${good}?tab=document&step=match`,
  'run-log': ({ good }) => `runs/${good}?tab=log`,
  'run-inputs': ({ good }) => `runs/${good}?tab=inputs`,
  compare: ({ good, many }) => `runs/${good}/compare/${many}`,
  pipelines: () => 'pipelines',
  pipeline: () => 'pipelines/quickstart',
  'pipeline-triggers': () => 'pipelines/nightly?tab=triggers',
  'pipeline-document': () => 'pipelines/quickstart?tab=document',
  'pipeline-lineage': () => 'pipelines/quickstart?tab=lineage',
  'pipeline-run': () => 'pipelines/many-partners/run',
  'pipeline-form': () => 'pipelines/form/run',
  schedules: () => 'schedules',
  calendar: () => 'schedules?view=calendar',
  files: () => 'files',
  system: () => 'system',
  service: () => 'service',
  'service-jobs': () => 'service/jobs',
  'service-jobs-empty': () => 'service/jobs?show=ended&participant=2001',
  'service-segments': () => 'service/segments',
  'service-matches': () => 'service/matches',
  'service-activations': () => 'service/activations',
  'service-requests': () => 'service/requests?operation=segments.create',
  'service-faults': () => 'service/faults',
  'not-found': () => 'nowhere',
  'run-unknown': () => 'runs/there-is-none',
}

describe.skipIf(!findChromium())('pages', () => {
  let browser: Browser
  let bench: FilledBench
  let visiting: Visit

  beforeAll(async () => {
    bench = await startFilledBench()
    browser = await sharedChromium()
    visiting = await openVisit(browser, bench)
  })
  afterAll(async () => {
    await closeVisit(visiting)
    await bench?.stop()
  })

  test.each(Object.entries(PAGES))(
    '%s, light and dark, wide and narrow: no fault, nothing that axe finds, no scrolling sideways',
    async (name, addressOf) => {
      const { page, faults } = visiting
      await goWithin(page, new URL(addressOf(bench.runs), bench.url).href)
      await untilLoaded(page)
      await look(page, name, [390])
      expect(await page.locator('main').textContent()).not.toContain('\\u200b')
      expect(faults.splice(0).filter((fault) => !/^404 .*there-is-none/.test(fault))).toEqual([])
    },
  )

  test('on a narrow screen, a button opens the menu, Esc closes it, and the first question can be answered at once', async () => {
    const { page, faults } = visiting
    await page.setViewportSize({ width: 390, height: 844 })
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 900 }))
    await goWithin(page, bench.url)
    await untilLoaded(page)
    const decide = page.getByRole('link', { name: /^Decide about ask/ })
    const isInSight = async (found: ReturnType<typeof page.getByRole>) => {
      const { y, height } = (await found.boundingBox()) ?? { y: 844, height: 1 }
      return y >= 0 && y + height <= 844
    }
    expect(await isInSight(decide)).toBe(true)
    const menu = page.getByRole('button', { name: /^Menu/ })
    const runs = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' })
    expect([await menu.getAttribute('aria-expanded'), await runs.isVisible()]).toEqual(['false', false])
    await menu.press('Enter')
    await runs.waitFor()
    expect(await menu.getAttribute('aria-expanded')).toBe('true')
    await look(page, 'menu', [390])
    await page.setViewportSize({ width: 390, height: 844 })
    await runs.focus()
    await page.keyboard.press('Escape')
    await runs.waitFor({ state: 'hidden' })
    await menu.and(page.locator(':focus')).waitFor()
    await menu.press('Enter')
    await runs.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    await goWithin(page, new URL(`runs/${bench.runs.waiting}`, bench.url).href)
    await untilLoaded(page)
    const approve = page.getByRole('button', { name: 'Approve…' })
    await approve.waitFor()
    expect(await isInSight(approve)).toBe(true)
    expect(faults.splice(0)).toEqual([])
  })

  test('on a narrow screen, the details of a step that is chosen come into sight', async () => {
    const { page, faults } = visiting
    await page.setViewportSize({ width: 390, height: 500 })
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 900 }))
    await goWithin(page, new URL(`runs/${bench.runs.many}`, bench.url).href)
    await untilLoaded(page)
    await page.getByRole('button', { name: 'upload', exact: true }).press('Enter')
    const heading = page.getByRole('complementary', { name: 'Step upload' }).getByRole('heading', { level: 2 })
    await heading.waitFor()
    await page.waitForFunction('document.querySelector(".details").getBoundingClientRect().top < innerHeight - 80')
    expect(faults.splice(0)).toEqual([])
  })

  test('two ticks in the list of runs lead to the comparison of the two; a third tick takes the first one away', async () => {
    const { page, faults } = visiting
    await goWithin(page, new URL('runs', bench.url).href)
    await untilLoaded(page)
    const { good, failed, many } = bench.runs
    const tick = (runId: string) => page.getByRole('checkbox', { name: `Compare run ${runId.split('-').at(-1)}` })
    await tick(failed).check()
    await page.getByText('One run is ticked.').waitFor()
    await tick(good).check()
    await tick(many).check()
    expect(await tick(failed).isChecked()).toBe(false)
    await look(page, 'runs-ticked', [390])
    await page.getByRole('link', { name: 'Compare the two runs' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Two runs side by side' }).waitFor()
    await untilLoaded(page)
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/runs/${good}/compare/${many}$`))
    expect(faults.splice(0)).toEqual([])
  })

  test('what is looked at once for all that is like it is found in each theme and width', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    onTestFinished(() => page.close())
    await page.setContent(`<!doctype html><html lang="en"><title>t</title><style>
      body { background: #fff; color: #111 }
      @media (prefers-color-scheme: dark) { body { background: #111; color: #eee } td { color: #222 } }
      @media (width < 800px) { p { color: #eee } div { height: 20px; overflow: auto } }
      </style><main><h1>h</h1><table>${'<tr><td>a row</td></tr>'.repeat(20)}</table><p>text</p><div>a<br>b<br>c<br>d</div></main></html>`)
    const found = async (find: typeof violations) => (await find(page)).map((text) => text.split(' ', 2).join(' '))
    expect(await found(violations)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await found(colourViolations)).toEqual(Array(2).fill('color-contrast: <td>a'))
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 900 })
    expect(await found(violations)).toEqual([
      'scrollable-region-focusable: <div>a<br>b<br>c<br>d</div>',
      'color-contrast: <p>text</p>',
    ])
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.evaluate(
      "document.querySelectorAll('td')[9].innerHTML = '<button></button><i style=\"color: #ddd\">new</i>'",
    )
    expect(await found(violations)).toEqual(['button-name: <button></button>', 'color-contrast: <i'])
  })
})
