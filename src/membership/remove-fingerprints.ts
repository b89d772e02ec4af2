import { readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MembershipRule } from '../core/privacy.ts'
import type { RunHistory } from '../state/run-history.ts'
import { runFolder, runsWithLists } from './kept-lists.ts'
import { readFacts } from './membership-file.ts'

/** A file of a list. The age of an incomplete file counts from its last change. */
interface ListFile {
  readonly file: string
  readonly runId: string
  readonly at: number
  readonly hasFingerprints: boolean
}

/** Removes the files of the lists for which `isOver` is true; returns how many. */
export async function removeFingerprints(
  folder: string,
  isOver: (list: ListFile) => boolean | Promise<boolean>,
): Promise<number> {
  let removed = 0
  for (const runId of runsWithLists(folder)) {
    const here = runFolder(folder, runId)
    for (const name of await readdir(here)) {
      const file = join(here, name)
      const facts = await readFacts(file)
      const at = facts?.at ?? (await stat(file)).mtimeMs
      if (!(await isOver({ file, runId, at, hasFingerprints: facts?.keyId !== undefined }))) continue
      await rm(file, { force: true })
      removed += 1
    }
    // Another process may be writing a list of this run now; in that case, the folder is not empty.
    await rmdir(here).catch(() => undefined)
  }
  return removed
}

/** Removes the lists that audience.yaml no longer allows, and the lists of runs that the state does not have. */
export async function removeExpiredFingerprints(
  folder: string,
  rule: MembershipRule,
  { now, runs }: { now: number; runs: Pick<RunHistory, 'find'> },
): Promise<number> {
  const known = new Map<string, boolean>()
  return removeFingerprints(folder, async ({ runId, at, hasFingerprints }) => {
    if (rule.kind === 'none' || (rule.kind === 'counts' && hasFingerprints)) return true
    if (rule.kind === 'fingerprints' && at < now - rule.keepMs) return true
    const isKnown = known.get(runId) ?? (await runs.find(runId)) !== undefined
    known.set(runId, isKnown)
    return !isKnown
  })
}
