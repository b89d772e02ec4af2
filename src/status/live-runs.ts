import { runsWithLists } from '../membership/kept-lists.ts'
import type { RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'

const PAGE = 200

/** The last run of each pipeline that succeeded, at each service. */
export async function liveRuns(runs: ReadableState['runs'], membershipFolder: string): Promise<readonly RunRow[]> {
  const oldest = runsWithLists(membershipFolder).toSorted()[0]
  const found: RunRow[] = []
  for (const pipeline of await runs.pipelines()) found.push(...(await liveRunsOf(pipeline, runs, oldest)))
  return found
}

async function liveRunsOf(
  pipeline: string,
  runs: ReadableState['runs'],
  oldest: string | undefined,
): Promise<readonly RunRow[]> {
  const newest = new Map<string, RunRow>()
  let after: Awaited<ReturnType<typeof runs.page>>['next']
  do {
    const page = await runs.page({ pipeline, status: ['succeeded'], limit: PAGE, ...(after && { after }) })
    for (const run of page.rows) {
      // Of older runs no list is kept. The newest run counts even so: its list may have to be reported as unknown.
      if (newest.size > 0 && (oldest === undefined || run.runId < oldest)) return [...newest.values()]
      const service = JSON.stringify([run.profile, run.service])
      if (!newest.has(service)) newest.set(service, run)
    }
    after = page.next
  } while (after)
  return [...newest.values()]
}
