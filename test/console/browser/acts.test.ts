import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasPostgres } from '../../support/start-postgres.ts'
import { DOCUMENTS, PARTNER_DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, startConsoleBench } from '../support/console-bench.ts'
import { violations } from './support/axe.ts'
import { findChromium } from './support/find-chromium.ts'
import { BELOW_PATH, behindProxy } from './support/proxy.ts'
import { sharedChromium } from './support/start-chromium.ts'
import { untilStatus } from './support/until-status.ts'
import { closeVisit, goOn, goWithin, openVisit, type Visit, visit } from './support/visit.ts'

/** Two steps for each item; the items have keys. */
const EACH = `version: 1
name: each
steps:
  - id: audience
    forEach: { items: ["seg01", "قائمة"], as: name, key: "\${{ name }}" }
    steps:
      - id: check
        uses: approval.wait
        with: { message: "May \${{ name }} go?", comment: required }
      - id: release
        uses: approval.wait
        with: { message: "And now \${{ name }}?" }
`

const STORES: readonly (readonly [string, { readonly config?: string; readonly workers?: number }])[] = [
  ['a folder, below a path', BELOW_PATH],
  ...(hasPostgres() ? [['a database, at the worker that does not work on the run', { workers: 2 }] as const] : []),
]

interface Place {
  readonly runId?: string
  readonly at?: string
}

/** Runs in the page. Finding a control by its name after each key would take most of the time. */
const focusOf = (control: {
  readonly isConnected: boolean
  readonly ownerDocument: { readonly activeElement: unknown } | null
}) => (control.ownerDocument?.activeElement === control ? 'focused' : control.isConnected ? 'there' : 'gone')

/** Presses Tab until the wanted control has the focus, as a person without a mouse does. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole('button', { name }).or(page.getByRole('link', { name })).first()
  await wanted.waitFor()
  let control = await wanted.elementHandle()
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const place = await control?.evaluate(focusOf)
    if (place === 'focused') return
    if (place === 'gone') control = await wanted.elementHandle()
  }
  throw new Error(`the Tab key does not reach ${name}`)
}

async function pressOn(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

describe.skipIf(!findChromium()).each(STORES)('acts, by keyboard alone; with %s', (_store, options) => {
  let browser: Browser
  let bench: ConsoleBench

  beforeAll(async () => {
    const documents = { ...DOCUMENTS, ...PARTNER_DOCUMENTS, 'each.yaml': EACH }
    const started = await startConsoleBench(documents, options)
    bench = options.workers === undefined ? await behindProxy(started) : started
    browser = await sharedChromium()
  })
  afterAll(async () => {
    for (const window of windows.values()) await closeVisit(window)
    await bench?.stop()
  })

  /** With several workers: the one that does not execute the run. */
  const placeBeside = async (runId: string) => {
    await untilStatus(bench, runId, 'waiting')
    const { owner } = (await bench.as('viewer', `runs/${runId}`)).body.run as { readonly owner: string }
    return bench.urls[bench.daemons.findIndex(({ pid }) => !owner.startsWith(`process ${pid} `))] ?? ''
  }
  const placeOf = (runId: string | undefined) =>
    runId === undefined || bench.urls.length === 1 ? bench.url : placeBeside(runId)
  // A refusal that a test expects is not a fault.
  const askedFor = /^(400|409|502) /
  /** A window for this test only. */
  const openOwn = async (runId?: string, how?: { readonly isByLink: true }) => {
    const { page, faults } = await visit(browser, { ...bench, url: await placeOf(runId) }, how)
    onTestFinished(() => expect(faults.filter((fault) => !askedFor.test(fault))).toEqual([]))
    return page
  }
  /** One window for each worker. The tests share them, and each continues where the previous one stopped. */
  const windows = new Map<string, Visit>()
  const open = async ({ runId, at = '' }: Place = {}) => {
    const url = await placeOf(runId)
    const window = windows.get(url) ?? (await openVisit(browser, { ...bench, url }))
    windows.set(url, window)
    return goOn(window, url, at, askedFor)
  }
  const start = async (pipeline: string) => {
    const { body } = await bench.post('operator', 'runs', { pipeline, inputs: {} })
    return String(body.runId)
  }
  const audit = async (subject: string) => {
    const { body } = await bench.as('viewer', `audit?subject=${subject}`)
    return (body.entries as Record<string, unknown>[]).map(({ act, by, comment, outcome }) => ({
      act,
      by,
      comment,
      outcome,
    }))
  }
  const dialog = (page: Page) => page.getByRole('dialog')

  test('sign in by a link, and approve with a reason, from the first page on', async () => {
    const runId = await start('ask')
    const page = await openOwn(runId, { isByLink: true })
    await page.getByText('May it begin?').waitFor()
    await pressOn(page, /^Decide about ask/)
    await pressOn(page, 'Approve…')
    await dialog(page).getByText('The run continues with the steps after it.').waitFor()
    await page.keyboard.press('Tab')
    await dialog(page).getByLabel('Reason').focus()
    await page.keyboard.type('looks right')
    await page.keyboard.press('Enter')
    await page.getByText('Approved: first of ask').waitFor()
    await page.getByRole('row', { name: /^second Waiting/ }).waitFor()
    expect(await audit(runId)).toContainEqual({
      act: 'run.approved',
      by: expect.any(String),
      comment: 'looks right',
      outcome: 'done',
    })
  })

  test('a second decision is refused, and the dialog says so', async () => {
    const runId = await start('ask')
    const page = await open({ runId, at: `runs/${runId}` })
    await pressOn(page, 'Reject…')
    await dialog(page).getByText('The step fails.').waitFor()
    await bench.post('approver', `runs/${runId}/decisions`, { step: 'first', decision: 'approved' })
    await tabTo(page, /^Reject$/)
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('alert').waitFor()
    expect(await dialog(page).getByRole('alert').textContent()).toMatch(/already|is not waiting/)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
  })

  test('cancel, then retry', async () => {
    const runId = await start('ask')
    const page = await open({ runId, at: `runs/${runId}` })
    await pressOn(page, 'Cancel run…')
    await tabTo(page, /^Cancel run$/)
    await page.keyboard.press('Enter')
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    await pressOn(page, 'Retry…')
    await dialog(page).getByText('Done again').waitFor()
    await tabTo(page, 'Start the new run')
    await page.keyboard.press('Enter')
    await page.getByText('Retry of').waitFor()
    expect(page.url()).not.toContain(runId)
  })

  test('run now: the form, the plan, the run', async () => {
    const page = await open({ at: 'pipelines/ask/run' })
    const amount = page.getByLabel('amount')
    await amount.fill('many')
    await tabTo(page, 'Show the plan')
    await page.keyboard.press('Enter')
    await page.getByText('amount has to be a whole number').waitFor()
    await amount.fill('7')
    await tabTo(page, 'Show the plan')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Plan' }).waitFor()
    await pressOn(page, 'Run now')
    await page.getByText('May it begin?').first().waitFor()
    expect(page.url()).toMatch(/\/runs\/\w+-\w+/)
  })

  test('pause and resume a schedule, see what a backfill would run, and run one slot', async () => {
    const page = await open({ at: 'schedules' })
    await pressOn(page, /^Pause… nightly night/)
    await tabTo(page, /^Pause$/)
    await page.keyboard.press('Enter')
    await page.getByText('nightly/night is paused').waitFor()
    await pressOn(page, /^Resume… nightly night/)
    await tabTo(page, /^Resume$/)
    await page.keyboard.press('Enter')
    await page.getByText('nightly/night continues').waitFor()
    await pressOn(page, /^Backfill… nightly night/)
    await dialog(page).getByLabel('From').fill('2026-01-01')
    await dialog(page).getByLabel('To').fill('2026-03-01')
    await dialog(page).getByText('Type 60 to continue').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog(page).getByLabel('To', { exact: true }).fill('2026-01-01')
    await tabTo(page, 'Run 1 slot')
    await page.keyboard.press('Enter')
    await page.getByText('1 slot is due now').waitFor()
    await goWithin(page, new URL('runs?trigger=schedule', page.url()).href)
    await page.getByRole('row', { name: /Succeeded nightly .*2026-01-01/ }).waitFor()
  })

  test('upload a file', async () => {
    const page = await open({ at: 'files' })
    await pressOn(page, /^Upload… to nightly drop/)
    await dialog(page)
      .locator('input[type=file]')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n') })
    await tabTo(page, /^Upload$/)
    await page.keyboard.press('Enter')
    await page.getByText('list.csv is in the folder').waitFor()
  })

  test('mute a pipeline on its page, see it muted, and end that; mute several on the page System', async () => {
    const page = await open({ at: 'pipelines/nightly' })
    await pressOn(page, /^Mute…/)
    await dialog(page).getByRole('combobox').selectOption('4 hours')
    await dialog(page).getByLabel('Reason').fill('the partner moves')
    await tabTo(page, /^Mute$/)
    await page.keyboard.press('Enter')
    await page.getByText(/^Messages about nightly are muted until/).waitFor()
    await page.getByText(/^Messages about it are muted until/).waitFor()
    await pressOn(page, /^Unmute…/)
    await tabTo(page, /^Unmute$/)
    await page.keyboard.press('Enter')
    await page.getByText('Messages about nightly are sent again').waitFor()
    await goWithin(page, new URL('../system', page.url()).href)
    await pressOn(page, /^Mute…/)
    await dialog(page).getByLabel('Pipeline').fill('nigthly')
    await tabTo(page, /^Mute$/)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('did you mean nightly?').waitFor()
    expect(await violations(page)).toEqual([])
    await dialog(page).getByLabel('Pipeline').fill('night*')
    await tabTo(page, /^Mute$/)
    await page.keyboard.press('Enter')
    await page.getByText('Muted: night*').waitFor()
    const { body } = await bench.as('viewer', 'pipelines/nightly')
    expect(body.pipeline).toMatchObject({ muted: { pipelines: 'night*', until: expect.any(String) } })
    await pressOn(page, /^Unmute… night\*/)
    await tabTo(page, /^Unmute$/)
    await page.keyboard.press('Enter')
    await page.getByText('Muted: night*').waitFor({ state: 'detached' })
  })

  // From here on, nothing depends on the store.
  if (options.workers !== undefined) return

  test('approve a step inside of an item of a forEach, which needs a reason', async () => {
    const page = await open()
    await start('each')
    await page.getByText('May seg01 go?').waitFor()
    await pressOn(page, /^Decide about each audience\[seg01\]\.check/)
    await page.getByRole('heading', { name: 'audience[seg01].check' }).waitFor()
    await pressOn(page, 'Approve…')
    const reason = dialog(page).getByLabel('Reason')
    await reason.focus()
    await page.keyboard.press('Enter')
    expect(await dialog(page).count()).toBe(1)
    await page.keyboard.type('counted by hand')
    await page.keyboard.press('Enter')
    await page.getByText('Approved: audience[seg01].check of each').waitFor()
    await page.getByRole('row', { name: /^release Waiting/ }).waitFor()
  })

  test('a dialog does not come back with the page that it was left on', async () => {
    const page = await open()
    await pressOn(page, 'Schedules')
    await pressOn(page, /^Pause…/)
    await dialog(page).waitFor()
    await page.goBack()
    await dialog(page).waitFor({ state: 'detached' })
    await page.goForward()
    await page
      .getByRole('button', { name: /^Pause…/ })
      .first()
      .waitFor()
    expect(await dialog(page).count()).toBe(0)
  })

  test('the embedded service: hold the job of a match, approve it, release it; the run ends, and leads to the job', async () => {
    const page = await open()
    const runId = await start('partner')
    await pressOn(page, /^Service$/)
    await pressOn(page, /^Hold… job/)
    await dialog(page).getByText('Winter travellers').waitFor()
    await pressOn(page, 'Hold the job')
    await page.getByText(/^Job \d+ is held, as pending approval$/).waitFor()
    await pressOn(page, /^Approve… job/)
    await dialog(page).getByLabel('Reason').focus()
    await page.keyboard.type('as agreed')
    await page.keyboard.press('Enter')
    await page.getByText('No job is waiting for the approval of a participant.').waitFor()
    await pressOn(page, /^Matches$/)
    await pressOn(page, /^Release… job/)
    await pressOn(page, 'Release the job')
    await page.getByRole('row', { name: /Finished [\d,]+ people Winter travellers/ }).waitFor()
    await goWithin(page, new URL(`runs/${runId}`, bench.url).href)
    await page.getByText('Succeeded').first().waitFor()
    await page.getByRole('button', { name: 'match', exact: true }).press('Enter')
    await page.getByRole('complementary').getByRole('link', { name: /^\d+$/ }).first().press('Enter')
    await page.getByText(/^Not only job/).waitFor()
    await page.getByRole('row', { name: /matches\.create/ }).waitFor()
    expect(await page.locator('main tbody tr').count()).toBe(1)
    const { body } = await bench.as('viewer', 'audit?limit=3')
    expect((body.entries as object[]).map((entry) => ({ ...entry, at: '' }))).toMatchObject([
      { act: 'service.job', detail: 'release', outcome: 'done' },
      { act: 'service.job', detail: 'approve', comment: 'as agreed', outcome: 'done' },
      { act: 'service.job', detail: 'hold', outcome: 'done' },
    ])
  })

  test('the embedded service: switch a fault on, see it in the journal, and switch it off', async () => {
    const page = await open({ at: 'service/faults' })
    await pressOn(page, 'Switch a fault on…')
    await dialog(page)
      .getByLabel(/^Operation/)
      .selectOption('groups.list')
    await dialog(page).getByLabel('Status, 400').fill('99')
    await dialog(page).getByText('A number is missing').waitFor()
    await dialog(page).getByLabel('Status, 400').fill('503')
    await dialog(page).getByLabel('How often, at most').fill('1')
    await dialog(page).getByText('The first request to groups.list: status 503 instead of the operation.').waitFor()
    await pressOn(page, 'Switch it on')
    await page.getByRole('row', { name: /^f\d+ The first request to groups\.list/ }).waitFor()
    await start('nightly')
    await page.getByRole('row', { name: /^f\d+ The first request to groups\.list.* used up .* 1 Switch off/ }).waitFor()
    await pressOn(page, /\d requests$/)
    await page.getByRole('row', { name: /503 fault f\d+: status groups\.list/ }).waitFor()
    await pressOn(page, /^Faults$/)
    await pressOn(page, /^Switch off… f/)
    await pressOn(page, 'Switch it off')
    await page.getByText('No fault is switched on').waitFor()
  })

  test('the embedded service: let the clock stand still, advance it, and let it go on', async () => {
    const page = await open({ at: 'service' })
    await pressOn(page, 'Freeze it…')
    await pressOn(page, /^Freeze it$/)
    await page.getByText('do not move on, because').waitFor()
    await pressOn(page, /^Advance… the clock/)
    await dialog(page).getByLabel('By how much').fill('2')
    await dialog(page).getByLabel('Unit').selectOption('days')
    await dialog(page).getByText('No job falls due by then.').waitFor()
    await pressOn(page, /^Advance$/)
    await page.getByText(/^At the service it is/).waitFor()
    await page.getByText(/^(1 d 23|2 d 0) h ahead of this machine’s$/).waitFor()
    await pressOn(page, 'Let it run again…')
    await pressOn(page, /^Let it run again$/)
    await page.getByText('move on by themselves').waitFor()
  })

  test('the embedded service is gone: the page says so, and goes on by itself when it is back', async () => {
    const page = await open()
    const gone = { code: 'service-gone', message: 'the embedded service does not answer', hint: 'wait' }
    const places = /\/api\/v1\/service\/jobs/
    await page.route(places, (route) => route.fulfill({ status: 502, json: gone }))
    await goWithin(page, new URL('service/jobs', bench.url).href)
    await page.getByRole('alert').getByText(gone.message).waitFor()
    expect(await violations(page)).toEqual([])
    await page.unroute(places)
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('with another service the menu has no pages of it, and a link says why', async () => {
    const page = await openOwn()
    await page.route(/\/api\/v1\/me$/, async (route) => {
      const response = await route.fetch()
      const who = { ...((await response.json()) as object), synthetic: false, service: 'https://far.example/p/1' }
      await route.fulfill({ json: who })
    })
    await page.goto(new URL('system', page.url()).href)
    await page.getByText('https://far.example/p/1').waitFor()
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByText('Service').count()).toBe(0)
    await pressOn(page, 'Why it has no pages here')
    await page.getByText('These pages cannot show it').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('keys move about: g r, j, Enter, /, ?', async () => {
    const page = await open()
    const runId = await start('ask')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.locator(`[data-run="${runId}"]`).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'ask' }).waitFor()
    expect(page.url()).toContain(runId)
    await page.keyboard.press('/')
    await page.waitForURL(/\/runs$/)
    await page.keyboard.type('no such run')
    await page.getByText('No run matches.').waitFor()
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('next row').waitFor()
    expect(await violations(page)).toEqual([])
  })
})
