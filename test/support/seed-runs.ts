import { randomUUID } from 'node:crypto'
import type { RecordedService } from '../../src/core/service-ref.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { PostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import { createRunWrites } from '../../src/state/postgres/run-writes.ts'
import { createAddAct } from '../../src/state/sql/audit.ts'
import type { RunWriter } from '../contract/run-writer.ts'

/** Writes runs to a database as an engine does, but no engine works on them. */
export function seedRuns(
  { db, runs, redact, close }: PostgresState,
  here: RecordedService = { profile: 'local' },
): RunWriter {
  const executor = randomUUID()
  const writes = createRunWrites({
    ...{ db, reads: runs, clock: systemClock, executor, shares: false, redact, here },
    addAct: createAddAct({ now: Date.now, redact }),
    signal: new AbortController().signal,
    enqueue: async () => {},
    renew: async () => {},
  })
  const taken = new Set<string>()
  let worker: Promise<unknown> | undefined

  /** Registers a process that lives until it is closed. */
  function live(): Promise<unknown> {
    worker ??= db.query(
      `INSERT INTO audience.workers (executor, host, pid, version, protocol, queue, started_at, expires_at)
        VALUES ($1, 'here', 1, '0', '1', 'own-', now(), now() + interval '1 day')`,
      [executor],
    )
    return worker
  }

  async function claim(runId: string): Promise<boolean> {
    await live()
    if (!taken.has(runId) && (await writes.takeUp(runId)) !== 'ended') taken.add(runId)
    return taken.has(runId)
  }

  return {
    async submit(run) {
      await live()
      return writes.submit(run)
    },
    async admit(admission) {
      await live()
      return writes.admit(admission)
    },
    claim,
    messages: writes.messages,
    acknowledge: writes.acknowledge,
    async append(runId, records) {
      await claim(runId)
      await writes.append(runId, records)
    },
    async close() {
      await db.query('DELETE FROM audience.workers WHERE executor = $1', [executor])
      await close()
    },
  }
}
