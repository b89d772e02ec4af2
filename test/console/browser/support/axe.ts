import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)

/** The minified axe: it is loaded into each page. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** The rules that depend on colours, and so on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** None of the enabled rules needs the style sheets, which axe would fetch. */
const OPTIONS = `elementRef: true, preload: { assets: ['media'] }`

/**
 * Returns a text made in the page: transferring everything that axe reports about correct elements would take longer
 * than the check.
 */
const TEXT = `({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary))`

/**
 * All rules except colour contrast. Markup that already passed and is drawn again with the same elements is checked
 * only for what a new layout can break: a narrow page differs in nothing else.
 */
const MARKUP = `(async () => {
  const isDrawn = (element) => Number(element.checkVisibility({ visibilityProperty: true }))
  const markup = document.documentElement.outerHTML + [...document.body.querySelectorAll('*')].map(isDrawn).join('')
  const rules = window.rightMarkup === markup
    ? { runOnly: ['scrollable-region-focusable'] }
    : { rules: { 'color-contrast': { enabled: false } } }
  const found = await axe.run({ ${OPTIONS}, resultTypes: ['violations'], ...rules })
  window.rightMarkup = found.violations.length === 0 ? markup : undefined
  return (${TEXT})(found)
})()`

/**
 * The rows of a table have the same colours, and so has a menu on every page. So two texts of each kind are checked,
 * and none of a kind that has passed since the page was loaded. A kind is everything that the colour rules depend on.
 */
const COLOURS = `(async () => {
  const kindOf = (element) => {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches
    const kind = [isDark, element.closest(':disabled, [aria-disabled=true]') !== null]
    for (const each of [element, element.parentElement]) {
      const { color, fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(each)
      kind.push(color, fontSize, fontWeight, textDecorationLine, textShadow)
    }
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(each)
      const layer = [backgroundColor, backgroundImage, opacity].join()
      if (layer !== 'rgba(0, 0, 0, 0),none,1') kind.push(layer)
    }
    return kind.join(';')
  }
  const hasText = (element) =>
    element.matches('input, select, textarea') ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
  // axe checks no others.
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest('[aria-hidden=true]') === null &&
    element.getBoundingClientRect().width > 2
  const right = (window.rightKinds ??= new Set())
  const kinds = new Map()
  for (const element of document.body.querySelectorAll('*')) {
    if (!hasText(element) || !isSeen(element)) continue
    const kind = kindOf(element)
    const alike = kinds.get(kind) ?? []
    if (alike.length < 2 && !right.has(kind)) kinds.set(kind, [...alike, element])
  }
  if (kinds.size === 0) return []
  const found = await axe.run({ include: [...kinds.values()].flat() }, {
    ${OPTIONS}, resultTypes: ['violations'], runOnly: ${JSON.stringify(OF_COLOURS)}
  })
  const wrong = new Set(found.violations.flatMap(({ nodes }) => nodes.map(({ element }) => kindOf(element))))
  for (const kind of kinds.keys()) if (!wrong.has(kind)) right.add(kind)
  return (${TEXT})(found)
})()`

/** The violations that axe finds in the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  return [...(await run(page, MARKUP)), ...(await colourViolations(page))]
}

/** The violations of the colour rules. */
export function colourViolations(page: Page): Promise<string[]> {
  return run(page, COLOURS)
}

async function run(page: Page, script: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${AXE};undefined`)
  return page.evaluate<string[]>(script)
}
