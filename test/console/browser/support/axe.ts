import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Result {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** What axe finds wrong with a page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const result = (await page.evaluate('axe.run()')) as Result
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}
