import { systemClock } from '../../clock.ts'
import { parseDuration } from '../../core/duration.ts'
import { AudienceError } from '../../core/errors.ts'
import { count } from '../render/figures.ts'
import type { Terminal } from '../terminal.ts'
import { withHistory } from '../with-history.ts'

export interface PruneFlags {
  readonly olderThan: string
  readonly keep: number
  readonly dryRun?: true
}

/** More than a state folder holds. */
const ALL = 2 ** 31

/** Removes runs that ended long ago, but of each pipeline keeps the newest, so that `last` stays. */
export function pruneRuns({ olderThan, keep, dryRun }: PruneFlags, terminal: Terminal): Promise<number> {
  const ageMs = parseDuration(olderThan)
  if (ageMs === undefined) {
    throw new AudienceError({
      code: 'bad-duration',
      kind: 'usage',
      message: `"${olderThan}" is no duration`,
      hint: 'write it as 30d or 12h',
    })
  }
  return withHistory(terminal, async (journal) => {
    const before = systemClock.now() - ageMs
    const kept = new Map<string, number>()
    const old = journal.list({ limit: ALL }).filter(({ pipeline, finishedAt }) => {
      if (finishedAt === undefined) return false
      const newer = kept.get(pipeline) ?? 0
      kept.set(pipeline, newer + 1)
      return newer >= keep && finishedAt < before
    })
    if (!dryRun) await journal.remove(old.map(({ runId }) => runId))
    terminal.out.write(`${dryRun ? 'would remove' : 'removed'} ${count(old.length, 'run')}\n`)
    return 0
  })
}
