/** A queued run, as admission sees it. */
export interface QueuedRun {
  readonly runId: string
  readonly pipeline: string
  /** Sorted by name. */
  readonly groups: readonly { readonly name: string; readonly limit: number }[]
  /** Which process may let the run begin: this one, another living one, or none. */
  readonly admittedBy: 'us' | 'others' | 'nobody'
  /** Whether the run was cancelled while it was queued. */
  readonly isCancelled: boolean
}

/**
 * Returns at most `room` queued runs that this process lets begin, in the order in which they begin. `queued` is in
 * order of submission. `inside` contains the number of runs in each group that are not queued. `active` contains the
 * number of active runs of each kind.
 */
export function nextAdmitted(
  queued: readonly QueuedRun[],
  {
    room,
    inside,
    active,
  }: {
    room: number
    inside: ReadonlyMap<string, number>
    active: ReadonlyMap<string, number>
  },
): string[] {
  const taken = new Map(inside)
  const candidates: { runId: string; kind: string }[] = []
  for (const { runId, pipeline, groups, admittedBy, isCancelled } of queued) {
    // A run that no process will admit must not block other runs.
    if (admittedBy === 'nobody') continue
    // A cancelled run begins only so that it can end, so it takes no place in a group.
    const needed = isCancelled && admittedBy === 'us' ? [] : groups
    // The first run in a queue keeps the next free place, even if it cannot begin yet for another reason.
    const fits = needed.every(({ name, limit }) => (taken.get(name) ?? 0) < limit)
    for (const { name } of needed) taken.set(name, (taken.get(name) ?? 0) + 1)
    if (fits && admittedBy === 'us') candidates.push({ runId, kind: groups[0]?.name ?? pipeline })
  }
  return fairOrder(candidates, active).slice(0, Math.max(0, Math.min(room, candidates.length)))
}

/**
 * Returns runs of several kinds in the order in which they begin: the kind with the fewest active runs comes first. A
 * run in this order counts as active for the runs after it. `underWay` contains the number of active runs of each kind.
 */
export function fairOrder(
  candidates: readonly { runId: string; kind: string }[],
  underWay: ReadonlyMap<string, number>,
): string[] {
  const counts = new Map(underWay)
  return candidates
    .map(({ runId, kind }) => {
      const before = counts.get(kind) ?? 0
      counts.set(kind, before + 1)
      return { runId, before }
    })
    .sort((a, b) => a.before - b.before)
    .map(({ runId }) => runId)
}
