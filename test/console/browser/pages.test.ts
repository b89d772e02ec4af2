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
      expect(faults.splice(0).filter((fault) => !/^404 .*there-is-none/.test(fault))).toEqual([])
    },
  )

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
