import type { Settings } from '../config/settings.ts'
import { count } from '../core/format/figures.ts'
import type { Actor } from '../core/run.ts'
import { pruneRuns } from '../engine/prune-runs.ts'
import type { AuditLog } from '../state/audit-log.ts'
import type { RunHistory } from '../state/run-history.ts'

/** Which runs may be removed: those that ended before an instant, except the newest `keep` of each pipeline. */
export type PrunePolicy = Parameters<typeof pruneRuns>[0]

/** More runs than a state folder can hold. */
const ALL = 2 ** 31

/** The policy that a person asks for. What is not given comes from `retention` in audience.yaml. */
export function prunePolicy(
  { olderThanMs, keep }: { olderThanMs?: number | undefined; keep?: number | undefined },
  { retention, now }: { retention: Settings['retention']; now: number },
): PrunePolicy {
  return { before: now - (olderThanMs ?? retention.runsMs), keep: keep ?? retention.keep }
}

/** How many runs the policy lets go. */
export async function countExpired(
  policy: PrunePolicy,
  { runs }: { runs: Pick<RunHistory, 'pipelines' | 'expired'> },
): Promise<number> {
  let expired = 0
  for (const pipeline of await runs.pipelines())
    expired += (await runs.expired({ ...policy, pipeline, limit: ALL })).length
  return expired
}

/**
 * Removes these runs, in small batches that `signal` can stop between. The audit log gets an entry. Returns how many
 * were removed.
 */
export async function pruneHistory(
  policy: PrunePolicy,
  actor: Actor,
  { audit, ...deps }: Parameters<typeof pruneRuns>[1] & { audit: Pick<AuditLog, 'add'> },
): Promise<number> {
  const removed = await pruneRuns(policy, deps)
  const detail = count(removed, 'run')
  await audit.add({ ...actor, act: 'runs.prune', subject: 'runs', detail, outcome: 'done' })
  return removed
}
