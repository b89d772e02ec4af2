import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { type FilledBench, startFilledBench } from './support/filled-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { startChromium } from './support/start-chromium.ts'
import { takePicture, untilLoaded, visit } from './support/visit.ts'

const PAGES: Readonly<Record<string, (runs: FilledBench['runs']) => string>> = {
  home: () => '',
  runs: () => 'runs',
  'runs-empty': () => 'runs?q=nothing-is-called-so',
  'run-good': ({ good }) => `runs/${good}`,
  'run-failed': ({ failed }) => `runs/${failed}`,
  'run-waiting': ({ waiting }) => `runs/${waiting}`,
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

  beforeAll(async () => {
    bench = await startFilledBench()
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await bench?.stop()
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('%s, %i px wide: no fault, nothing that axe finds, no scrolling sideways', async (colorScheme, width) => {
    const { page, faults } = await visit(browser, bench, { colorScheme, viewport: { width, height: 900 } })
    for (const [name, addressOf] of Object.entries(PAGES)) {
      await page.goto(new URL(addressOf(bench.runs), bench.url).href)
      await untilLoaded(page)
      await takePicture(page, `${name}-${colorScheme}-${width}`)
      expect.soft(await violations(page), name).toEqual([])
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
    }
    expect(faults.filter((fault) => !/^404 .*there-is-none/.test(fault))).toEqual([])
  })
})
