import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { type ConsoleBench, linkOf, sessionOf } from '../../support/console-bench.ts'

export interface Visit {
  readonly page: Page
  /**
   * What a page must never do: write an error to the browser's console, break its security policy, or request anything
   * outside the console.
   */
  readonly faults: string[]
}

type VisitOptions = BrowserContextOptions & {
  /** The page to begin with; the first one if absent. */
  readonly at?: string
  /** Signs in by opening a one-time URL, which leads to the first page. */
  readonly isByLink?: true
}

type Place = Pick<ConsoleBench, 'url' | 'command'>

/** A new window with a new session, at a page. It is closed with the test. */
export async function visit(browser: Browser, place: Place, options?: VisitOptions): Promise<Visit> {
  const visiting = await openVisit(browser, place, options)
  onTestFinished(() => closeVisit(visiting))
  return visiting
}

/** Closes the window. If a route handler is still running at that moment, it does not fail the test. */
export async function closeVisit(visiting: Visit | undefined): Promise<void> {
  if (!visiting) return
  const { page } = visiting
  if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().close()
}

/** The same for several tests. The caller closes it. */
export async function openVisit(
  browser: Browser,
  { url, command }: Place,
  { at = '', isByLink, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Europe/Berlin',
    // The icon of an active run would be drawn sixty times a second.
    reducedMotion: 'reduce',
    ...(!isByLink && { storageState: await signedIn({ url, command }) }),
    ...options,
  })
  // A busy machine must not fail a test.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults = watchFaults(page, url)
  await page.goto(isByLink ? (await linkOf({ url, command })).href : new URL(at, url).href)
  await page.locator('h1').waitFor()
  return { page, faults }
}

/** What a browser stores for a session. */
async function signedIn({ url, command }: Place): Promise<NonNullable<BrowserContextOptions['storageState']>> {
  const { cookie, 'x-audience-session': half } = await sessionOf({ url, command })
  const [name = '', value = ''] = cookie.split('=')
  const { hostname: domain, origin, pathname: path } = new URL(url)
  const rest = { expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' as const }
  return {
    cookies: [{ name, value, domain, path, ...rest }],
    origins: [{ origin, localStorage: [{ name: `audience.session:${path}`, value: half }] }],
  }
}

function watchFaults(page: Page, base: string): string[] {
  const faults: string[] = []
  page.on('console', (message) => {
    const isNoted = message.text().startsWith('Failed to load resource: the server responded')
    if (/error|warning/.test(message.type()) && !isNoted) faults.push(`console: ${message.text()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(base)) faults.push(`request to ${request.url()}`)
  })
  return faults
}

/** Goes to another page of the console as its links do: without loading the program again. */
export async function goWithin(page: Page, address: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  // An element that is found before the page is drawn again may soon be replaced.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

/**
 * Continues in a window that several tests share. Goes through the first page, because the same page would keep what
 * was typed. At the end of the test, the window must have had only the faults that the test expects.
 */
export async function goOn({ page, faults }: Visit, url: string, at: string, askedFor = /^$/): Promise<Page> {
  onTestFinished(() => expect(faults.splice(0).filter((fault) => !askedFor.test(fault))).toEqual([]))
  await goWithin(page, url)
  await untilLoaded(page)
  await goWithin(page, new URL(at, url).href)
  await untilLoaded(page)
  return page
}

/** Waits until the page has loaded everything. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('main .loading').first().waitFor({ state: 'detached' })
}
