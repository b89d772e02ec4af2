import { UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import { isBelow } from '../../platform/is-below.ts'
import type { Deployments } from '../../state/deployments.ts'
import type { RunHistory } from '../../state/run-history.ts'
import { runsInPages } from '../../state/runs-in-pages.ts'
import { keptReleases, releaseFolder, removeFolder } from './release-folder.ts'

const KEPT = 10
const PAGE = 500
/** If there are more open runs than this, nothing is removed, because removal can wait. */
const MOST_RUNS = 10_000

/** Removes releases, except the newest ones and those that unfinished runs came from. */
export async function pruneReleases(
  releases: string,
  { deployments, runs }: { deployments: Pick<Deployments, 'list'>; runs: Pick<RunHistory, 'page' | 'submission'> },
): Promise<void> {
  const newest = [...new Set((await deployments.list(1000)).map(({ commit }) => commit))].slice(0, KEPT)
  const old = keptReleases(releases).filter((commit) => !newest.includes(commit))
  if (old.length === 0) return
  const files = await filesOfOpenRuns(runs)
  if (!files) return
  for (const commit of old) {
    const folder = releaseFolder(releases, commit)
    if (!files.some((file) => isBelow(folder, file))) removeFolder(folder)
  }
}

/** The documents with which open runs were submitted; undefined if there are too many runs to check. */
async function filesOfOpenRuns(runs: Pick<RunHistory, 'page' | 'submission'>): Promise<string[] | undefined> {
  const files: string[] = []
  for await (const { runId } of runsInPages(runs, { status: UNFINISHED_STATUSES, limit: PAGE })) {
    const file = (await runs.submission(runId))?.file
    if (file !== undefined) files.push(file)
    if (files.length > MOST_RUNS) return undefined
  }
  return files
}
