import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What the other theme can break: it has other colours, and nothing else. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/**
 * Gives text, made in the page: all that axe says of all that is right would take longer to pass on than to find out.
 * No rule that is on looks at style sheets, which axe would fetch.
 */
const look = (rules: readonly string[]) => `axe.run({
  resultTypes: ['violations'], preload: { assets: ['media'] }, ${rules.length === 0 ? '' : `runOnly: ${JSON.stringify(rules)}`}
}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`

/** What axe finds wrong with a page as it is now. */
export function violations(page: Page): Promise<string[]> {
  return run(page, look([]))
}

/** What axe finds wrong with its colours. */
export function colourViolations(page: Page): Promise<string[]> {
  return run(page, look(OF_COLOURS))
}

async function run(page: Page, script: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe.source};undefined`)
  return page.evaluate<string[]>(script)
}
