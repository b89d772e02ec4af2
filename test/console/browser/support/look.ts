import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { colourViolations, violations } from './axe.ts'

const results = resolve(import.meta.dirname, '../../../../test-results/console')

/**
 * Looks at a page as it is now, in both themes, and at other widths in the first: a picture, nothing that axe finds, no
 * scrolling sideways. The page is loaded once for all of them.
 */
export async function look(page: Page, name: string, otherWidths: readonly number[] = []): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 900 }
  await lookOnce(page, `${name}-light-${width}`, violations)
  await page.emulateMedia({ colorScheme: 'dark' })
  await lookOnce(page, `${name}-dark-${width}`, colourViolations)
  await page.emulateMedia({ colorScheme: 'light' })
  for (const other of otherWidths) {
    await page.setViewportSize({ width: other, height })
    await lookOnce(page, `${name}-light-${other}`, violations)
  }
  if (otherWidths.length > 0) await page.setViewportSize({ width, height })
}

async function lookOnce(page: Page, name: string, find: typeof violations): Promise<void> {
  await takePicture(page, name)
  expect.soft(await find(page), name).toEqual([])
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
}

/** A picture to look at, of the whole page. To pack it as PNG takes three times as long. */
async function takePicture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: resolve(results, `${name}.jpeg`), quality: 80, fullPage: true })
}
