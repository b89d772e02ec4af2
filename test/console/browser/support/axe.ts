import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Gives text, made in the page: all that axe says of all that is right would take longer to pass on than to find out. */
const LOOK = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`

/** What axe finds wrong with a page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`${axe.source};undefined`)
  return page.evaluate<string[]>(LOOK)
}
