import { resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { ConsoleBench } from '../../support/console-bench.ts'

export interface Visit {
  readonly page: Page
  /** What a page must never do: write an error to the console, break its security policy, ask for what is not of the console. */
  readonly faults: readonly string[]
}

/** A browser of its own that is signed in by a one-time URL, at the first page. */
export async function visit(
  browser: Browser,
  { url, command }: Pick<ConsoleBench, 'url' | 'command'>,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Europe/Berlin',
    // The icon of a run that goes on would be drawn sixty times a second.
    reducedMotion: 'reduce',
    ...options,
  })
  // A machine that is busy with other things fails no test.
  context.setDefaultTimeout(120_000)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const faults = watchFaults(page, url)
  const { out } = await command('console', '--json')
  const { search } = new URL((JSON.parse(out) as { url: string }).url)
  await page.goto(new URL(`login${search}`, url).href)
  await page.getByRole('heading', { level: 1, name: 'Needs you' }).waitFor()
  return { page, faults }
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

const results = resolve(import.meta.dirname, '../../../../test-results/console')

/** A picture to look at, of the whole page. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: resolve(results, `${name}.png`), fullPage: true })
}

/** Waits until nothing of a page is loading any more. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.locator('main .loading').first().waitFor({ state: 'detached' })
}
