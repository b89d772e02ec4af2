import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { colourViolations, violations } from './axe.ts'

const results = resolve(import.meta.dirname, '../../../../test-results/console')

/**
 * Looks at a page as it is now, in both themes, and at other widths in the first: nothing that axe finds, no scrolling
 * sideways. There is a picture of each theme, and of a width where something is wrong. The page is loaded once for all.
 */
export async function look(page: Page, name: string, otherWidths: readonly number[] = []): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 900 }
  await takePicture(page, `${name}-light-${width}`)
  await expectRight(page, `${name}-light-${width}`, violations)
  await page.emulateMedia({ colorScheme: 'dark' })
  await takePicture(page, `${name}-dark-${width}`)
  await expectRight(page, `${name}-dark-${width}`, colourViolations)
  await page.emulateMedia({ colorScheme: 'light' })
  for (const other of otherWidths) {
    await page.setViewportSize({ width: other, height })
    const isRight = await expectRight(page, `${name}-light-${other}`, violations)
    if (!isRight) await takePicture(page, `${name}-light-${other}`)
  }
  if (otherWidths.length > 0) await page.setViewportSize({ width, height })
}

async function expectRight(page: Page, name: string, find: typeof violations): Promise<boolean> {
  const found = await find(page)
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect.soft(found, name).toEqual([])
  expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
  return found.length === 0 && overflow <= 0
}

/** A picture to look at, of the whole page. To pack it as PNG takes three times as long. */
async function takePicture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: resolve(results, `${name}.jpeg`), quality: 80, fullPage: true })
}
