import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { colourViolations, violations } from './axe.ts'

const results = resolve(import.meta.dirname, '../../../../test-results/console')

/** Whether to take pictures of all pages, not only of wrong ones. Taking them is a quarter of the work. */
const picturesAll = process.env.CONSOLE_PICTURES !== undefined

/**
 * Checks a page as it is now, in both themes, and at other widths in the first theme: axe finds nothing, and nothing
 * scrolls sideways. Takes a picture of a wrong page. The page is loaded only once.
 */
export async function look(page: Page, name: string, otherWidths: readonly number[] = []): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 900 }
  await expectRight(page, `${name}-light-${width}`, violations)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectRight(page, `${name}-dark-${width}`, colourViolations)
  await page.emulateMedia({ colorScheme: 'light' })
  for (const other of otherWidths) {
    await page.setViewportSize({ width: other, height })
    await expectRight(page, `${name}-light-${other}`, violations, { isNarrow: true })
  }
  if (otherWidths.length > 0) await page.setViewportSize({ width, height })
}

/**
 * Elements that are wider than the page or their cell, and text that is cut without a sign, such as an ellipsis or the
 * shade at the edge of a scrolling graph. Text for screen readers only is clipped, so it does not count.
 */
const CUT = `(() => {
  const width = document.documentElement.clientWidth
  const isSeen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false
    for (let each = element; each; each = each.parentElement)
      if (getComputedStyle(each).clipPath !== 'none' || each.matches('.skip, .strip *')) return false
    return true
  }
  const isCut = (element) => {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element)
    if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || element.matches('.strip, input, select, textarea')) return false
    const isWider = (overflowX !== 'visible' || element.matches('dd, td')) && element.scrollWidth > element.clientWidth + 1
    return isWider || ((overflowY === 'hidden' || overflowY === 'clip') && element.scrollHeight > element.clientHeight + 1)
  }
  const nameOf = (element) => element.localName + '.' + element.getAttribute('class') + ': ' + element.textContent.slice(0, 60)
  return [...document.body.querySelectorAll('*')].filter(isSeen).flatMap((element) => {
    const { left, right } = element.getBoundingClientRect()
    if (left < -1 || right > width + 1) return ['beyond the width: ' + nameOf(element)]
    return isCut(element) ? ['cut: ' + nameOf(element)] : []
  })
})()`

async function expectRight(
  page: Page,
  name: string,
  find: typeof violations,
  { isNarrow = false } = {},
): Promise<void> {
  const found = await find(page)
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  const cut = isNarrow ? await page.evaluate<string[]>(CUT) : []
  expect.soft([...found, ...cut], name).toEqual([])
  expect.soft(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0)
  if (picturesAll || found.length + cut.length > 0 || overflow > 0) await takePicture(page, name)
}

/** A picture of the whole page. PNG would take three times as long. */
async function takePicture(page: Page, name: string): Promise<void> {
  await page.evaluate('scrollTo(0, 0)')
  await page.screenshot({ path: resolve(results, `${name}.jpeg`), quality: 80, fullPage: true })
}
