import type { DatabaseSync } from 'node:sqlite'
import type { RunGroup } from '../../core/run.ts'
import type { FullGroup } from '../decide-admission.ts'
import { fairOrder } from '../fair-order.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import type { Owner } from './owners.ts'

/**
 * Decides which runs may begin, from the rows of the runs alone: all unfinished runs of a group take its places,
 * whichever process owns them. Called within a transaction.
 */
export interface Admission {
  /** The groups without room for one more run, with the runs that would have to end first, oldest first. */
  full(groups: readonly RunGroup[]): readonly FullGroup[]
  join(runId: string, groups: readonly RunGroup[]): void
  /** Queued runs that may begin, in this order. */
  next(options: { readonly room: number; readonly orphans: boolean }): readonly string[]
}

export function createAdmission(db: DatabaseSync, owner: Owner, here: ServiceAtHand): Admission {
  const insert = db.prepare('INSERT INTO run_groups (name, run_id, max) VALUES (?, ?, ?)')
  const size = db.prepare('SELECT count(*) AS runs FROM run_groups WHERE name = ?')
  // Ids of runs begin with their creation time.
  const oldest = db.prepare('SELECT run_id FROM run_groups WHERE name = ? ORDER BY run_id LIMIT ?')
  const groupsOf = db.prepare('SELECT name, max FROM run_groups WHERE run_id = ? ORDER BY name')
  const underWayIn = db.prepare(
    `SELECT count(*) AS runs FROM run_groups JOIN runs USING (run_id)
     WHERE name = ? AND status <> 'queued'`,
  )
  const queued = db.prepare(
    `SELECT run_id, pipeline, owner, profile = ? AND (service IS NULL OR service IS ?) AS is_of_here
     FROM runs WHERE status = 'queued' ORDER BY submitted_at, run_id`,
  )
  const underWay = db.prepare(
    `SELECT coalesce((SELECT min(name) FROM run_groups g WHERE g.run_id = runs.run_id), pipeline) AS kind, count(*) AS runs
     FROM runs WHERE finished_at IS NULL AND status <> 'queued' GROUP BY kind`,
  )

  return {
    full: (groups) =>
      groups.flatMap((group) => {
        const excess = Number(size.get(group.name)?.runs) - group.limit + 1
        if (excess <= 0) return []
        return [{ group, inTheWay: oldest.all(group.name, excess).map((row) => String(row.run_id)) }]
      }),
    join(runId, groups) {
      for (const { name, limit } of groups) insert.run(name, runId, limit)
    },
    next({ room, orphans }) {
      const waiting = room > 0 ? queued.all(here.profile, here.service ?? null) : []
      if (waiting.length === 0) return []
      const living: ReadonlySet<unknown> = owner.living()
      const taken = new Map<string, number>()
      const inside = (name: string) => taken.get(name) ?? Number(underWayIn.get(name)?.runs)
      const candidates: { runId: string; kind: string }[] = []
      for (const row of waiting) {
        const isOurs = row.owner === owner.id
        const isOrphan = orphans && row.is_of_here === 1 && !living.has(row.owner)
        // A run that no process will admit blocks no other run.
        if (!isOurs && !isOrphan && !living.has(row.owner)) continue
        const runId = String(row.run_id)
        const groups = groupsOf.all(runId).map(({ name, max }) => ({ name: String(name), max: Number(max) }))
        // The first run of a queue keeps the next place in it, even if it cannot begin yet for another reason.
        const fits = groups.every(({ name, max }) => inside(name) < max)
        for (const { name } of groups) taken.set(name, inside(name) + 1)
        if (!fits || (!isOurs && !isOrphan)) continue
        candidates.push({ runId, kind: groups[0]?.name ?? String(row.pipeline) })
      }
      return fairOrder(candidates, new Map(underWay.all().map(({ kind, runs }) => [String(kind), Number(runs)]))).slice(
        0,
        Math.min(room, candidates.length),
      )
    },
  }
}
