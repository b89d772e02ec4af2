import { stepsOf } from '../core/pipeline.ts'
import { isOfEarlierSecond } from '../core/run-id.ts'
import { runsWithLists } from '../membership/kept-lists.ts'
import type { RunRow } from '../state/run-history.ts'
import { runsInPages } from '../state/runs-in-pages.ts'
import type { ReadableState } from '../state/state.ts'
import { recordedSteps } from './uploaded-lists.ts'

type Runs = Pick<ReadableState['runs'], 'pipelines' | 'page' | 'find' | 'records'>

const PAGE = 200

/**
 * The runs whose lists the service has now. For each pipeline and service, these are the last run that uploaded a list
 * and succeeded, and later runs that uploaded a list and did not succeed.
 */
export async function liveRuns(runs: Runs, membershipFolder: string): Promise<readonly RunRow[]> {
  const holders = runsWithLists(membershipFolder).toSorted()
  const found: RunRow[] = []
  for (const pipeline of await runs.pipelines()) found.push(...(await lastSuccesses(pipeline, runs, holders[0])))
  const newest = new Map(found.map((run) => [placeOf(run), run]))
  for (const runId of holders) {
    const run = await runs.find(runId)
    const success = run && newest.get(placeOf(run))
    if (!run || run.status === 'succeeded' || (success && isOlder(run, success))) continue
    if (await hasUploaded(run, runs)) found.push(run)
  }
  return found
}

async function lastSuccesses(pipeline: string, runs: Runs, oldest: string | undefined): Promise<readonly RunRow[]> {
  const newest = new Map<string, RunRow>()
  let isFirst = true
  for await (const run of runsInPages(runs, { pipeline, status: ['succeeded'], limit: PAGE })) {
    // Older runs have no kept list. The newest run still counts, because its list may have to be reported as unknown.
    if (!isFirst && (oldest === undefined || isOfEarlierSecond(run.runId, oldest))) break
    isFirst = false
    if (!newest.has(placeOf(run)) && (await hasUploaded(run, runs))) newest.set(placeOf(run), run)
  }
  return [...newest.values()]
}

/** Ids do not show the order of runs that began in the same second. */
function isOlder(run: RunRow, other: RunRow): boolean {
  return run.submittedAt === other.submittedAt ? run.runId < other.runId : run.submittedAt < other.submittedAt
}

function placeOf({ pipeline, profile, service }: RunRow): string {
  return JSON.stringify([pipeline, profile, service])
}

async function hasUploaded({ runId }: RunRow, runs: Pick<Runs, 'records'>): Promise<boolean> {
  const { document, done } = recordedSteps(await runs.records(runId))
  return !document || stepsOf(document).some(({ id, uses }) => uses === 'files.upload' && done.has(id))
}
