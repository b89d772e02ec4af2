import { usageError } from '../core/errors.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { compareBlocks } from './compare-blocks.ts'
import { type KeptList, listsOf } from './kept-lists.ts'
import { isSameForm, readBlocks } from './membership-file.ts'

/** How the list of a step differs between two runs, in figures. A number is null if it is not known. */
export interface ListDifference {
  readonly step: string
  /** How many keys the lists of the two runs have. */
  readonly before: number | null
  readonly after: number | null
  readonly added: number | null
  readonly removed: number | null
  readonly kept: number | null
  /** Why a number is not known. */
  readonly why?: string
}

/**
 * Compares the lists of two runs, step by step. Throws `no-fingerprints` if nothing is kept for the lists of one of
 * them.
 */
export async function compareRuns(
  folder: string,
  before: RunRow,
  after: RunRow,
  { runs, whyNone }: { runs: Pick<RunHistory, 'records'>; whyNone: (run: RunRow) => string },
): Promise<readonly ListDifference[]> {
  const [old, now] = await Promise.all([byStep(before), byStep(after)])
  const differences = []
  for (const step of new Set([...old.keys(), ...now.keys()]))
    differences.push(await compareLists(step, old.get(step), now.get(step)))
  return differences

  async function byStep(run: RunRow): Promise<ReadonlyMap<string, KeptList>> {
    const lists = await listsOf(folder, run, runs)
    if (lists.length > 0) return new Map(lists.map((list) => [list.facts.step, list]))
    throw usageError('no-fingerprints', `no fingerprints are kept for the lists of run ${run.runId}`, whyNone(run))
  }
}

async function compareLists(
  step: string,
  before: KeptList | undefined,
  after: KeptList | undefined,
): Promise<ListDifference> {
  const known = { step, before: before?.facts.keys ?? null, after: after?.facts.keys ?? null }
  const why = whyNot(before, after)
  if (why !== undefined || !before || !after) return { ...known, added: null, removed: null, kept: null, why }
  return { ...known, ...(await compareBlocks(readBlocks(before.file), readBlocks(after.file))) }
}

/** Why two lists cannot be compared. */
function whyNot(before: KeptList | undefined, after: KeptList | undefined): string | undefined {
  if (!before || !after) return `only the ${before ? 'first' : 'second'} run has this list`
  const [old, now] = [before.facts, after.facts]
  if (old.keyId === undefined || now.keyId === undefined) return 'only the number of keys was kept'
  if (old.keyId !== now.keyId) return 'the fingerprints of the two lists were made with different keys'
  if (!isSameForm(old.form, now.form)) return 'the two lists have different kinds of keys'
  return undefined
}
