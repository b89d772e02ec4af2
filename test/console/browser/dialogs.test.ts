import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../support/daemon.ts'
import { DOCUMENTS, PARTNER_DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { fillService } from './support/fill-service.ts'
import { findChromium } from './support/find-chromium.ts'
import { look } from './support/look.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { untilStatus } from './support/until-status.ts'
import { closeVisit, goWithin, openVisit, untilLoaded, type Visit, visit } from './support/visit.ts'

type Runs = Readonly<Record<'waiting' | 'failed', string>>

/** The slots of this pipeline come due while it is paused, and a file that is too large gets no run. */
const LATE = `version: 1
name: late
triggers:
  - id: night
    schedule: { cron: "30 2 * * *", timezone: America/New_York }
  - id: drop
    watch: { path: late, pattern: "*.csv", settle: 1s, done: late/done, failed: late/failed, precheck: { maxBytes: 4 } }
steps:
  - { id: list, uses: groups.list }
`

/** The document of this pipeline is removed while its slots are due. */
const LEAVING = `version: 1
name: leaving
triggers:
  - id: night
    schedule: { cron: "30 2 * * *", timezone: UTC }
steps:
  - { id: list, uses: groups.list }
`

/** Each dialog: its page, the button that opens it, and some of its texts. */
const DIALOGS: Readonly<Record<string, readonly [address: (runs: Runs) => string, button: RegExp, ...string[]]>> = {
  keys: [() => 'runs', /^Keys/, 'next row'],
  'sign-out': [() => 'runs', /^Sign out…/, 'Everywhere: every browser in which'],
  approve: [({ waiting }) => `runs/${waiting}`, /^Approve…/, 'The run continues with the steps after it.'],
  reject: [({ waiting }) => `runs/${waiting}`, /^Reject…/, 'The step fails.'],
  happened: [
    ({ waiting }) => `runs/${waiting}?doubt`,
    /^It happened…/,
    'The write counts as done.',
    'POST /api/activations',
  ],
  again: [({ waiting }) => `runs/${waiting}?doubt`, /^Send it again…/, 'it will take effect twice'],
  cancel: [({ waiting }) => `runs/${waiting}`, /^Cancel run…/, 'Steps that have not begun will not begin.'],
  retry: [({ failed }) => `runs/${failed}`, /^Retry…/, 'Done again'],
  acknowledge: [({ failed }) => `runs/${failed}`, /^Acknowledge…/, 'Any other error is shown immediately'],
  mute: [() => 'pipelines/nightly', /^Mute…/, 'nobody gets messages'],
  'mute-several': [() => 'system', /^Mute…/, 'stands for any characters'],
  unmute: [() => 'pipelines/ask', /^Unmute…/, 'Everything that still fails or waits is reported immediately'],
  pause: [() => 'schedules', /^Pause… nightly night/, 'Slots that come while it is paused are skipped'],
  backfill: [() => 'schedules', /^Backfill… nightly night/, 'would become due'],
  withdraw: [() => 'schedules', /^Withdraw… late night/, '3 slots will not run.'],
  'withdraw-removed': [() => 'schedules', /^Withdraw… leaving night/, '3 slots will not run.'],
  'retry-file': [() => 'files', /^Drop again… large\.csv/, 'It had no run'],
  resume: [() => 'files', /^Resume… nightly drop/, 'It continues with its next slot or file.'],
  upload: [() => 'files', /^Upload… to nightly drop/, 'is treated like any file'],
  'service-approve': [() => 'service', /^Approve… job/, 'answer becomes yes'],
  'service-reject': [() => 'service', /^Reject… job/, 'answer becomes no'],
  'service-hold': [() => 'service/matches', /^Hold… job/, 'stays in its status until it is released'],
  'service-fail': [() => 'service/jobs', /^Fail… job/, 'As PARTIAL_SUCCESS'],
  'service-stop': [() => 'service', /^Freeze it…/, 'No job moves on by itself'],
  'service-advance': [() => 'service', /^Advance… the clock/, 'The clock cannot go back.'],
  'service-fault-on': [() => 'service/faults', /^Switch a fault on…/, 'It stays on until it is switched off'],
  'service-fault-off': [() => 'service/faults', /^Switch off… f/, 'Requests are answered as usual again'],
}

describe.skipIf(!findChromium())('dialogs', () => {
  let browser: Browser
  let bench: ConsoleBench
  let runs: Runs
  let folder: string
  let visiting: Visit

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'audience-dialogs-'))
    mkdirSync(join(folder, 'pipelines/late'), { recursive: true })
    writeFileSync(join(folder, 'pipelines/late/large.csv'), 'longer than that\n')
    const documents = { ...DOCUMENTS, ...PARTNER_DOCUMENTS, 'late.yaml': LATE, 'leaving.yaml': LEAVING }
    bench = await startConsoleBench(documents, { folder })
    browser = await sharedChromium()
    const start = async (pipeline: string, status: string) => {
      const { body } = await bench.post('operator', 'runs', { pipeline })
      await untilStatus(bench, String(body.runId), status)
      return String(body.runId)
    }
    runs = { waiting: await start('ask', 'waiting'), failed: await start('fails', 'failed') }
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    await bench.post('operator', 'mutes', { pipelines: 'ask', until: tomorrow, reason: 'nobody answers today' })
    await bench.post('operator', 'schedules/nightly/drop/pause')
    await bench.post('operator', 'schedules/late/night/pause')
    const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-04T00:00:00Z' }
    await bench.post('operator', 'schedules/late/night/backfill', period)
    await bench.post('operator', 'schedules/leaving/night/pause')
    await bench.post('operator', 'schedules/leaving/night/backfill', period)
    rmSync(join(folder, 'pipelines/leaving.yaml'))
    await until(async () => {
      const { removed } = (await bench.as('viewer', 'slots?pipeline=leaving')).body
      return (removed as object[]).length === 1
    })
    await until(async () => {
      const { files } = (await bench.as('viewer', 'files?pipeline=late')).body
      return (files as { canRetry: boolean }[])[0]?.canRetry === true
    })
    // If dropped again, the file would soon fail again.
    await bench.post('operator', 'schedules/late/drop/pause')
    await fillService(bench)
    visiting = await openVisit(browser, bench)
  })
  afterAll(async () => {
    await closeVisit(visiting)
    await bench?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Shows the step that waits for an approval as a write in doubt. */
  const doubt = (page: Page) =>
    page.route(`**/api/v1/runs/${runs.waiting}/steps?*`, async (route) => {
      const answer = await route.fetch()
      const { steps, total } = (await answer.json()) as { readonly steps: readonly object[]; readonly total: number }
      const error = { code: 'unknown-outcome', message: 'the answer to POST /api/activations was lost' }
      const effects = [{ name: 'intent', at: '2026-11-22T10:00:00Z' }]
      const request = {
        method: 'POST',
        path: '/api/activations',
        at: '2026-11-22T10:00:00Z',
        body: '{"refreshRate":30}',
      }
      const inDoubt = steps.map((step) => ({ ...step, waitsFor: 'decision', error, effects, request }))
      // Meanwhile, the page may have changed.
      await route.fulfill({ json: { steps: inDoubt, total } }).catch(() => undefined)
    })

  test.each(Object.entries(DIALOGS))(
    '%s is opened and left by keys, has no fault, light and dark, and gives the focus back',
    async (name, [address, button, ...texts]) => {
      const { page, faults } = visiting
      const path = address(runs)
      const url = new URL(path, bench.url).href
      if (path.endsWith('?doubt')) {
        await doubt(page)
        onTestFinished(() => page.unrouteAll())
        await page.goto(url)
      } else await goWithin(page, url)
      await untilLoaded(page)
      const opener = page.getByRole('button', { name: button })
      await opener.press('Enter')
      const dialog = page.getByRole('dialog')
      for (const text of texts) await dialog.getByText(text).first().waitFor()
      await dialog.locator(':focus').waitFor()
      await look(page, `dialog-${name}`, [390])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await opener.and(page.locator(':focus')).waitFor()
      expect(faults.splice(0)).toEqual([])
    },
  )

  test.each([
    ['withdraw a backfill', 'schedules', 'Withdraw… late night', 'Skip 3 slots', '3 slots of late/night will not run'],
    [
      'withdraw the slots of a schedule that is gone',
      'schedules',
      'Withdraw… leaving night',
      'Skip 3 slots',
      '3 slots of leaving/night will not run',
    ],
    [
      'drop a failed file again',
      'files',
      'Drop again… large.csv',
      'Drop again',
      'large.csv is in the watched folder of late/drop again',
    ],
  ])('%s', async (_act, address, opens, does, said) => {
    const { page, faults } = await visit(browser, bench, { at: address })
    const opener = page.getByRole('button', { name: opens })
    await opener.press('Enter')
    await page.getByRole('dialog').getByLabel('Reason').fill('mistaken')
    await page.getByRole('dialog').getByRole('button', { name: does }).press('Enter')
    await page.getByText(said).waitFor()
    await opener.waitFor({ state: 'detached' })
    const { body } = await bench.as('viewer', 'audit?limit=1')
    expect([body.entries, faults]).toMatchObject([[{ comment: 'mistaken', outcome: 'done' }], []])
  })
})
