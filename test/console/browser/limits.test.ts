import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { fillRuns } from '../../../bench/support/fill-runs.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { untilStatus } from './support/until-status.ts'
import { closeVisit, goOn, goWithin, openVisit, untilLoaded, type Visit, visit } from './support/visit.ts'

const LANES = 10
const STEPS = 300

/** Ten lanes of thirty steps. */
const LONG = `version: 1
name: long
steps:
${Array.from({ length: STEPS }, (_, n) => {
  const needs = n < LANES ? '[]' : `[s${n - LANES}]`
  return `  - { id: s${n}, uses: approval.wait, needs: ${needs}, if: "\${{ ${n === STEPS - 1} }}", with: { message: May it end? } }`
}).join('\n')}
`

/** Each step needs all steps before it. */
const DENSE = `version: 1
name: dense
steps:
${Array.from({ length: 60 }, (_, n) => {
  const needs = Array.from({ length: n }, (_, before) => `s${before}`).join(', ')
  return `  - { id: s${n}, uses: approval.wait, needs: [${needs}], with: { message: go } }`
}).join('\n')}
`

const ITEMS = 2000
const EACH = `version: 1
name: each
inputs: { names: { type: list } }
steps:
  - id: audience
    forEach: { items: "\${{ inputs.names }}", as: name, key: "\${{ name }}", maxParallel: 100 }
    steps:
      - id: release
        uses: approval.wait
        if: \${{ name.endsWith("00") }}
        with: { message: "May \${{ name }} go?" }
`

const HEBREW = 'קהל יעד חורפי'
const ARABIC = 'قائمة العملاء الشتوية'
const LONG_NAME = `a${'-very-long-name'.repeat(6)}`.slice(0, 90)
const NAMES = `version: 1
name: ${LONG_NAME}
description: "${`${ARABIC} `.repeat(12)}"
inputs:
  list: { type: string, default: "${`${HEBREW}, `.repeat(8)}" }
  word: { type: string, default: "${'unbreakable'.repeat(30)}" }
triggers:
  - { id: night, schedule: { cron: "30 2 * * *", timezone: America/Argentina/ComodRivadavia } }
steps:
  - { id: first, name: "${`${HEBREW} `.repeat(6)}", uses: approval.wait, if: "\${{ false }}", with: { message: x } }
  - { id: ${'aStepWithALongName'.repeat(5)}, uses: run.fail, with: { message: "\${{ inputs.list }} \${{ inputs.word }}" } }
`

/** Characters that reverse or hide text, everywhere people can enter text. */
const MARKS = `version: 1
name: marks
description: "about list\\u202evsc.exe"
inputs:
  list: { type: string, default: "list\\u202evsc.exe", description: "no\\u200bt" }
steps:
  - { id: first, name: "sen\\u2066d", uses: approval.wait, with: { message: "Is \${{ inputs.list }} right?" } }
`

const DOCUMENTS = {
  'marks.yaml': MARKS,
  'long.yaml': LONG,
  'dense.yaml': DENSE,
  'each.yaml': EACH,
  'names.yaml': NAMES,
}

describe.skipIf(!findChromium())('limits of looks', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedChromium()
  })

  async function open(bench: ConsoleBench, at: string): Promise<Page> {
    const { page, faults } = await visit(browser, bench, { at })
    onTestFinished(() => expect(faults).toEqual([]))
    return page
  }
  async function lookAt(page: Page, name: string, otherWidths?: readonly number[]): Promise<void> {
    await untilLoaded(page)
    await look(page, `limit-${name}`, otherWidths)
  }

  describe('of one run', () => {
    let bench: ConsoleBench
    let visiting: Visit
    beforeAll(async () => {
      bench = await startConsoleBench(DOCUMENTS)
      visiting = await openVisit(browser, bench)
    })
    afterAll(async () => {
      await closeVisit(visiting)
      await bench?.stop()
    })
    const openRun = (at: string) => goOn(visiting, bench.url, at)
    const start = async (pipeline: string, status: string, inputs = {}) => {
      const { body } = await bench.post('operator', 'runs', { pipeline, inputs })
      if (typeof body.runId !== 'string') throw new Error(`${pipeline} did not start: ${JSON.stringify(body)}`)
      await untilStatus(bench, body.runId, status)
      return body.runId
    }

    test('a run of 300 steps: its graph shows the step that waits, and the list has all', async () => {
      const page = await openRun(`runs/${await start('long', 'waiting')}`)
      await page.getByText('This step is waiting for an approval.').waitFor()
      expect(await page.locator('table tbody tr').count()).toBe(STEPS)
      const chosen = page.locator('.strip g.chosen')
      const frame = await page.locator('.strip').boundingBox()
      const box = await chosen.boundingBox()
      expect(Number(box?.x)).toBeGreaterThanOrEqual(Number(frame?.x))
      expect(Number(box?.x) + Number(box?.width)).toBeLessThanOrEqual(Number(frame?.x) + Number(frame?.width))
      expect(Number(frame?.height)).toBeLessThan(400)
      await lookAt(page, '300-steps')
    })

    test('a graph with more lines than a person can follow is left out, and the page says so', async () => {
      const page = await openRun(`runs/${await start('dense', 'waiting')}`)
      await page.getByText('The graph of 60 steps is too large to draw.').waitFor()
      expect(await page.locator('table tbody tr').count()).toBe(60)
    })

    test('a forEach of 2,000 items is one row, those under way first, found by a part of their name', async () => {
      const names = Array.from(
        { length: ITEMS },
        (_, n) => `${n === 1234 ? HEBREW : 'list'} ${String(n).padStart(4, '0')}`,
      )
      const page = await openRun(`runs/${await start('each', 'waiting', { names })}?step=none`)
      await page.getByText('20 running · 1,980 of 2,000 done').waitFor()
      expect(await page.locator('table tbody tr').count()).toBe(1)
      await page.getByRole('button', { name: 'audience', exact: true }).press('Enter')
      await page.getByText('Items 1 to 100 of 2,000').waitFor()
      expect(await page.locator('tr.child [data-row]').first().textContent()).toBe('list 0000')
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByText('Items 101 to 200 of 2,000').waitFor()
      const search = page.getByRole('searchbox', { name: 'Search the items of audience' })
      await search.fill('חורפי 1234')
      await page.locator('tr.child [data-row]').first().filter({ hasText: '1234' }).waitFor()
      expect(await page.locator('tr.child [data-row]').count()).toBe(1)
      await lookAt(page, '2000-items-found')
      expect(page.url()).toContain('items=')
      await search.fill('nothing is called so')
      await page.getByText('No item matches.').waitFor()
      await search.fill('')
      await page.getByText('Items 1 to 100 of 2,000').waitFor()
      await lookAt(page, '2000-items')
      await page.getByRole('button', { name: 'list 0100' }).press('Enter')
      await page.getByRole('button', { name: 'release' }).press('Enter')
      await page.getByText('May list 0100 go?').waitFor()
    })

    test('marks that turn or hide text are written out on every page', async () => {
      const { body } = await bench.post('operator', 'runs', { pipeline: 'marks', reason: 'a\u202eb' })
      await untilStatus(bench, String(body.runId), 'waiting')
      const at = `runs/${String(body.runId)}`
      const page = await open(bench, at)
      await page.getByText('Is list\\u202evsc.exe right?').first().waitFor()
      const shown: string[] = []
      const places = [
        at,
        `${at}?tab=inputs`,
        `${at}?tab=document`,
        '',
        'pipelines/marks',
        'pipelines/marks/run',
        'system',
      ]
      for (const place of places) {
        await goWithin(page, new URL(place, bench.url).href)
        await untilLoaded(page)
        shown.push((await page.locator('body').textContent()) ?? '')
      }
      expect(shown.join('\n')).toContain('\\u202e')
      expect(shown.join('\n')).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/)
    })

    test('right-to-left and long names stay in their places, wide and narrow', async () => {
      const runId = await start(LONG_NAME, 'failed')
      const page = await openRun('')
      const visits = {
        run: `runs/${runId}`,
        'run-inputs': `runs/${runId}?tab=inputs`,
        runs: 'runs',
        home: '',
        pipelines: 'pipelines',
        pipeline: `pipelines/${LONG_NAME}`,
        form: `pipelines/${LONG_NAME}/run`,
        schedules: 'schedules',
        calendar: 'schedules?view=calendar',
      }
      for (const [name, address] of Object.entries(visits)) {
        await goWithin(page, new URL(address, bench.url).href)
        await lookAt(page, `names-${name}`, [390])
      }
    })
  })

  describe('of many runs, or none', () => {
    test('without documents and runs each page says that there is nothing', async () => {
      const bench = await startConsoleBench({})
      onTestFinished(() => bench.stop())
      const page = await open(bench, '')
      const empty = {
        home: ['', 'Nothing is waiting for a person.'],
        runs: ['runs', 'Nothing has run yet.'],
        pipelines: ['pipelines', 'There is no valid document'],
        schedules: ['schedules', 'No pipeline has a schedule.'],
        files: ['files', 'No pipeline watches a folder.'],
      } as const
      for (const [name, [address, text]] of Object.entries(empty)) {
        await goWithin(page, new URL(address, bench.url).href)
        await page.getByText(text).first().waitFor()
        await lookAt(page, `empty-${name}`)
      }
    })

    test('100,000 runs: the newest are there, older ones come page by page, a word finds one; around a change of the clocks each time has its offset', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'audience-many-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      fillRuns(join(folder, 'state'), { runs: 100_000, waiting: 3, now: Date.now() })
      addRuns(join(folder, 'state'), ['2026-10-24T23:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'])
      const bench = await startConsoleBench({}, { folder })
      onTestFinished(() => bench.stop())
      const page = await open(bench, '')
      await lookAt(page, '100000-home')
      await goWithin(page, new URL('runs', bench.url).href)
      await page.locator('[data-run]').nth(49).waitFor()
      await lookAt(page, '100000-runs')
      await page.getByRole('button', { name: 'Older runs' }).click()
      await page.locator('[data-run]').nth(99).waitFor()
      await searchThem(page)
      await page.goto(new URL('runs?pipeline=clock', bench.url).href)
      await page.locator('[data-run]').nth(2).waitFor()
      const times = await page.locator('[data-run] time').allTextContents()
      expect(times.map((time) => time.replace(/^25 Oct( \d+)?, /, ''))).toEqual([
        '02:30:00 GMT+1',
        '02:30:00 GMT+2',
        '01:30:00 GMT+2',
      ])
      await lookAt(page, 'clock-change')
    })
  })
})

/** A search goes further back by itself and shows its progress, until it has a page or no run is left. */
async function searchThem(page: Page): Promise<void> {
  const asked: string[] = []
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url())
    if (searchParams.has('cursor')) asked.push(searchParams.get('q') ?? '')
  })
  const held = Promise.withResolvers<void>()
  await page.route(/q=nowhere.*cursor=/, async (route) => {
    await held.promise
    await route.continue()
  })
  const search = page.getByRole('searchbox', { name: 'Search runs' })
  await search.fill('nowhere')
  const progress = page.getByRole('status').filter({ hasText: /Looked back to \d+ \w+ \d{4} \(Europe\/Berlin\)…/ })
  await progress.waitFor()
  await look(page, 'limit-100000-search', [390])
  await search.fill('rejected by job 42480')
  await page.locator('[data-run="run-000042480"]').waitFor()
  await page.getByText('No older run matches.').waitFor()
  expect(await page.locator('[data-run]').count()).toBe(1)
  await look(page, 'limit-100000-search-found')
  held.resolve()
  expect(asked).toEqual(['nowhere', ...Array.from({ length: 5 }, () => 'rejected by job 42480')])
  await search.fill('nowhere')
  await page.getByText('No run matches.').waitFor()
}

/** Adds successful runs that were submitted at these times. */
function addRuns(folder: string, times: readonly string[]): void {
  const db = openState(folder)
  const run = db.prepare(`
    INSERT INTO runs (run_id, pipeline, status, submitted_at, began_at, finished_at, trigger_kind, trigger_label, updated_seq)
    VALUES (?, 'clock', 'succeeded', ?, ?, ?, 'schedule', ?, 200000)`)
  for (const [n, time] of times.entries()) {
    const at = Date.parse(time)
    run.run(`clock-${n}`, at, at, at + 60_000, time)
  }
  db.close()
}
