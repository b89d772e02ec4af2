import type { RunFilter, RunHistory, RunRow } from './run-history.ts'

/** All runs that match a filter, newest first, read in pages of `limit` runs. */
export async function* runsInPages(runs: Pick<RunHistory, 'page'>, filter: RunFilter): AsyncGenerator<RunRow> {
  let { after } = filter
  do {
    const { rows, next } = await runs.page({ ...filter, after })
    yield* rows
    after = next
  } while (after)
}
