import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '../../../src/core/duration.ts'
import { kill } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, send, startConsoleBench } from '../support/console-bench.ts'
import { findChromium } from './support/find-chromium.ts'
import { BELOW_PATH, behindProxy } from './support/proxy.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { visit } from './support/visit.ts'

/** One minute before midnight in its zone, it is already the next day in Tokyo. */
const MIDNIGHT = DOCUMENTS['nightly.yaml']
  .replace('nightly', 'midnight')
  .replace('30 2', '59 23')
  .replaceAll('inbox', 'late')

describe.skipIf(!findChromium())('what changes', () => {
  let browser: Browser
  let bench: ConsoleBench
  const folder = mkdtempSync(join(tmpdir(), 'audience-live-'))
  const begin = (port: number) =>
    startConsoleBench({ ...DOCUMENTS, 'midnight.yaml': MIDNIGHT }, { folder, port, ...BELOW_PATH })

  beforeAll(async () => {
    bench = await behindProxy(await begin(await freePort()))
    browser = await sharedChromium()
  })
  afterAll(async () => {
    await bench?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const start = async (pipeline = 'ask') => String((await bench.post('operator', 'runs', { pipeline })).body.runId)

  test('nine tabs share one stream, and all of them see a new run; when the one that follows closes, another does', async () => {
    const { page } = await visit(browser, bench)
    // The page's own stream already exists, so it is not among the streams below.
    await page.getByText('Live', { exact: true }).waitFor()
    const streams: string[] = []
    page.context().on('request', (request) => {
      if (request.url().endsWith('/events')) streams.push(request.url())
    })
    const others = await Promise.all(Array.from({ length: 8 }, () => page.context().newPage()))
    for (const other of others) await other.goto(new URL('runs', bench.url).href)
    for (const other of others) await other.getByText('Live', { exact: true }).waitFor()
    expect(streams).toEqual([])
    const runId = await start()
    for (const other of others) await other.locator(`[data-run="${runId}"]`).waitFor()
    await page.close()
    const next = await start()
    for (const other of others) await other.locator(`[data-run="${next}"]`).waitFor()
    expect(streams).toHaveLength(1)
  })

  test('the row under the eye stays where it is while runs arrive, and they are announced', async () => {
    for (let run = 0; run < 25; run++) await start('fails')
    const { page } = await visit(browser, bench, { at: 'runs', viewport: { width: 1280, height: 500 } })
    await page.locator('[data-run]').nth(20).waitFor()
    await page.locator('[data-run]').nth(20).scrollIntoViewIfNeeded()
    const row = page.locator('[data-run]').nth(15)
    const id = await row.getAttribute('data-run')
    const place = async () => (await page.locator(`[data-run="${id}"]`).boundingBox())?.y
    const before = await place()
    for (let run = 0; run < 10; run++) await start('fails')
    await page.getByText('10 newer – show').waitFor()
    expect(await place()).toBe(before)
    // The button is visible without scrolling: scrolling up would show the new runs without it.
    expect((await page.getByText('10 newer – show').boundingBox())?.y).toBeGreaterThan(0)
    await page.getByText('10 newer – show').click()
    await page.getByText('newer – show').waitFor({ state: 'detached' })
    expect(await page.locator('[data-run]').first().getAttribute('data-run')).not.toBe(id)
  })

  test('a list that is read again moves no row under a reader who has gone down meanwhile, and misses no run', async () => {
    for (let run = 0; run < 25; run++) await start('fails')
    const { page } = await visit(browser, bench)
    const isShown = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    const isTold = Promise.withResolvers<void>()
    await page.route('**/events', async (route) => {
      await isShown.promise
      await route.continue()
    })
    const lists: string[] = []
    await page.route('**/api/v1/runs?*', async (route) => {
      const answer = await route.fetch()
      lists.push(route.request().url())
      // The page requests the second one because the stream has started.
      if (lists.length === 2) {
        isAsked.resolve()
        await isTold.promise
      }
      await route.fulfill({ response: answer })
    })
    await page.setViewportSize({ width: 1280, height: 500 })
    await page.goto(new URL('runs', bench.url).href)
    await page.locator('[data-run]').nth(20).waitFor()
    isShown.resolve()
    await isAsked.promise
    const row = page.locator('[data-run]').nth(15)
    const id = await row.getAttribute('data-run')
    await row.scrollIntoViewIfNeeded()
    const place = async () => (await page.locator(`[data-run="${id}"]`).boundingBox())?.y
    const before = await place()
    await start('fails')
    await page.getByText('1 newer – show').waitFor()
    const answered = page.waitForResponse(/\/runs\?/)
    isTold.resolve()
    await answered
    await start('fails')
    await page.getByText('2 newer – show').waitFor()
    expect(await place()).toBe(before)
  })

  test('a daemon that is killed is missed, and one that comes back is followed without signing in again', async () => {
    const { page } = await visit(browser, bench)
    // The clock of this computer is an hour fast.
    await page.addInitScript(() => {
      const now = Date.now
      Date.now = () => now() + 3_600_000
    })
    await page.reload()
    const killed = bench
    await page.getByText('Live', { exact: true }).waitFor()
    const next = page.getByRole('heading', { name: 'Next' })
    await next.waitFor()
    await kill(killed.daemon)
    try {
      await page.getByText('audience start has not answered since').waitFor()
      expect(await next.count()).toBe(1)
    } finally {
      // The other tests need the daemon, too.
      const again = await begin(Number(new URL(killed.urls[0] ?? '').port))
      const stop = async () => {
        await again.stop()
        await killed.stop()
      }
      bench = { ...again, url: killed.url, stop }
    }
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('audience start has not answered since').waitFor({ state: 'detached' })
    const runId = await start()
    await page.goto(new URL(`runs/${runId}`, bench.url).href)
    await page.getByText('May it begin?').first().waitFor()
  })

  test('who signs out everywhere is out in every tab and browser, and each page says so', async () => {
    const [{ page }, { page: another }] = [await visit(browser, bench), await visit(browser, bench)]
    const tab = await page.context().newPage()
    await tab.goto(new URL('runs', bench.url).href)
    for (const each of [tab, another]) await each.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign out…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: /^Everywhere/ }).press('Space')
    await dialog.getByRole('button', { name: 'Sign out' }).press('Enter')
    for (const each of [page, tab, another]) await each.getByRole('heading', { name: 'You are signed out' }).waitFor()
  })

  test('a server on another port, and a page that leads here with a session of its own, sign nobody out', async () => {
    const { page } = await visit(browser, bench)
    const [cookie] = await page.context().cookies()
    const { hostname, pathname } = new URL(bench.url)
    const gotten: string[] = []
    const other = createServer((request, response) => {
      gotten.push(request.headers.cookie ?? '')
      const bad = ['api/', 'api/v1/', 'runs'].map(
        (path) => `${cookie?.name}=bad.bad; Path=${pathname}${path}; HttpOnly`,
      )
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': bad }).end('<h1>Other</h1>')
    })
    await new Promise<void>((ready) => other.listen(0, hostname, ready))
    onTestFinished(() => void other.close())
    await page.goto(`http://${hostname}:${(other.address() as AddressInfo).port}${pathname}`)
    await page.getByRole('heading', { name: 'Other' }).waitFor()
    // The other server gets the cookie, which is useless without the other half.
    expect(gotten[0]).toContain(cookie?.value)
    const alone = { cookie: gotten[0] ?? '' }
    expect((await send(new URL('api/v1/me', bench.url), { headers: alone })).status).toBe(401)
    for (const at of ['', '#session=garbage', '#session=another', 'runs']) {
      await page.goto('about:blank')
      await page.goto(new URL(at, bench.url).href)
      await page.getByText('Live', { exact: true }).waitFor()
    }
    expect(page.url()).not.toContain('session=')
  })

  test('without a session, the page says how to get one', async () => {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(bench.url)
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
    await page.getByText('audience console').first().waitFor()
  })

  test.each([
    ['Asia/Tokyo', 'GMT+9'],
    ['America/New_York', 'GMT-'],
  ])('in %s, a day is the same one in list, chart, tooltip and calendar', async (timezoneId, offset) => {
    const runId = await start()
    // Not earlier: the runs of the backfill begin within ten seconds, and other tests count runs.
    const [from, to] = [3 * DAY_MS, 0].map((ago) => new Date(Date.now() - ago).toISOString())
    await bench.post('operator', 'schedules/midnight/night/backfill', { from, to, onlyMissing: true })
    const { page } = await visit(browser, bench, { timezoneId })
    const [chartDay = ''] = await page
      .locator('.day .label')
      .allInnerTexts()
      .then((labels) => labels.slice(-1))
    await page.locator('.day').last().click()
    const time = page.locator(`[data-run="${runId}"] time`)
    expect(await time.textContent()).toContain(`${chartDay},`)
    expect(await time.getAttribute('title')).toContain(offset)
    // Half a minute before midnight in the zone of the schedule. The server uses another clock, so the page gets no
    // event.
    const { slots } = (await bench.as('viewer', 'slots?pipeline=midnight')).body
    const [{ at, local }] = slots as [{ at: string; local: string }]
    await page.route('**/events', (route) => route.abort())
    await page.clock.setFixedTime(Date.parse(at) + 30_000)
    await page.goto(new URL('schedules?view=calendar&schedule=midnight/night', bench.url).href)
    const today = page.locator('.calendar .today')
    expect(await today.locator('.slot').getAttribute('title')).toContain(local)
    expect(Number(await today.locator('.figure').first().textContent())).toBe(Number(local.slice(8, 10)))
    await page.goto(new URL('schedules?pipeline=midnight', bench.url).href)
    await page.getByRole('region', { name: 'Past slots' }).getByRole('row').filter({ hasText: local }).waitFor()
  })
})
