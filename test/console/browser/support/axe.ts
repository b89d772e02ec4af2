import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)

/** The small form of axe: each page that is loaded gets it anew. */
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** What depends on colours, and so on the theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** No rule that is on looks at style sheets, which axe would fetch. */
const OPTIONS = `elementRef: true, preload: { assets: ['media'] }`

/** Gives text, made in the page: all that axe says of all that is right would take longer to pass on than to find out. */
const TEXT = `({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary))`

/**
 * All but the contrast of colours. Markup that was found right, and is drawn with the same elements as then, is looked at for
 * what its places can break: a narrow page differs in nothing else.
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
 * A row of a table has the colours of the row above it, and a menu those that it has on each page: two texts of a kind are
 * looked at, and none of a kind that was right since the page was loaded. A kind is all that the rules of colours go by.
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
  // axe looks at no other.
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

/** What axe finds wrong with a page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  return [...(await run(page, MARKUP)), ...(await colourViolations(page))]
}

/** What axe finds wrong with its colours. */
export function colourViolations(page: Page): Promise<string[]> {
  return run(page, COLOURS)
}

async function run(page: Page, script: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${AXE};undefined`)
  return page.evaluate<string[]>(script)
}
