import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { untilStatus } from './support/until-status.ts'
import { visit } from './support/visit.ts'

/** A pipeline whose guard checks a given number and only warns. */
const GUARDED = `version: 1
name: guarded
inputs: { amount: { type: integer, default: 100 } }
steps:
  - id: look
    uses: groups.list
    guard: { of: "\${{ inputs.amount }}", learn: { warmUp: 3 }, onBreach: warn }
`
/** The last value is outside the learned band of 102 ± 20 %. */
const AMOUNTS = [100, 103, 98, 107, 101, 104, 200]

describe.skipIf(!findChromium())('the charts of a pipeline', () => {
  let browser: Browser
  let bench: ConsoleBench

  beforeAll(async () => {
    bench = await startConsoleBench({ 'guarded.yaml': GUARDED })
    browser = await sharedChromium()
    for (const amount of AMOUNTS) {
      const { body } = await bench.post('operator', 'runs', { pipeline: 'guarded', inputs: { amount } })
      await untilStatus(bench, String(body.runId), 'succeeded')
    }
  })
  afterAll(async () => {
    await bench?.stop()
  })

  test('what a guard measured has the band that it had learned by then', async () => {
    const { body } = await bench.as('viewer', 'pipelines/guarded/figures')
    const series = body.series as { step: string; name: string; points: Record<string, unknown>[] }[]
    const guard = series.find(({ name }) => name === 'guard: inputs.amount')
    expect(guard?.points.map(({ value, verdict }) => [value, verdict])).toEqual(
      AMOUNTS.map((amount) => [amount, amount === 200 ? 'warned' : 'good']),
    )
    expect(guard?.points.map(({ expected }) => expected !== undefined)).toEqual(AMOUNTS.map((_, at) => at >= 3))
    expect(guard?.points.at(-1)?.expected).toEqual({ low: 81.6, median: 102, high: 122.4 })
  })

  test('both charts are links, and tables with the same', async () => {
    const { page, faults } = await visit(browser, bench, { at: 'pipelines/guarded?figure=look.guard: inputs.amount' })
    const guard = page.getByRole('group', { name: 'guard: inputs.amount of look, run by run' })
    const durations = page.getByRole('group', { name: 'ran for, run by run' })
    await durations.waitFor()
    await expect.poll(() => guard.getByRole('link').count()).toBe(AMOUNTS.length)
    await expect.poll(() => durations.getByRole('link').count()).toBe(AMOUNTS.length)
    expect(await guard.getByRole('link').last().getAttribute('aria-label')).toMatch(
      /^200, .*, succeeded, expected 81.6 to 122.4, warned$/,
    )
    for (const summary of await page.getByText('As a table').all()) await summary.press('Enter')
    const rows = page.getByRole('region', { name: 'guard: inputs.amount of look, run by run' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(AMOUNTS.length + 1)
    expect(await rows.nth(1).textContent()).toContain('81.6 to 122.4warned')
    await look(page, 'charts', [390])
    await durations.getByRole('link').last().press('Enter')
    await page.waitForURL(/\/runs\//)
    expect(faults).toEqual([])
  })
})
