import { setTimeout as sleep } from 'node:timers/promises'
import { sqlRows } from '../../test/support/sql.ts'

/** The number of runs that meet a condition, joined with their workers. */
export async function countRuns(url: string, condition: string, ...values: readonly unknown[]): Promise<number> {
  const [row] = await sqlRows(
    url,
    `SELECT count(*) AS runs FROM audience.runs LEFT JOIN audience.workers USING (executor) WHERE ${condition}`,
    ...values,
  )
  return Number(row?.runs)
}

/** Waits until `count` runs meet a condition, or `withinMs` is over. Returns the number that meet it. */
export async function untilRuns(
  url: string,
  condition: string,
  { count, withinMs }: { readonly count: number; readonly withinMs: number },
): Promise<number> {
  const end = performance.now() + withinMs
  for (;;) {
    const fit = await countRuns(url, condition)
    if (fit >= count || performance.now() > end) return fit
    await sleep(100)
  }
}
