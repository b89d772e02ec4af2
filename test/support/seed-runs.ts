import { randomUUID } from 'node:crypto'
import { systemClock } from '../../src/platform/clock.ts'
import { createAddAct } from '../../src/state/postgres/audit-rows.ts'
import type { PostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import { createRunWrites } from '../../src/state/postgres/run-writes.ts'
import type { RunWriter } from '../contract/run-writer.ts'

/** Writes runs to a database as a process of the engine does, without one: nobody works on them. */
export function seedRuns({ db, runs, redact, close }: PostgresState): RunWriter {
  const executor = randomUUID()
  const writes = createRunWrites({
    ...{ db, reads: runs, clock: systemClock, executor, shares: false, redact, here: { profile: 'local' } },
    addAct: createAddAct({ now: Date.now, redact }),
    signal: new AbortController().signal,
    enqueue: async () => {},
    renew: async () => {},
  })
  const taken = new Set<string>()
  let worker: Promise<unknown> | undefined

  async function takeUp(runId: string): Promise<void> {
    if (taken.has(runId)) return
    worker ??= db.query(
      `INSERT INTO audience.workers (executor, host, pid, version, protocol, started_at, expires_at)
        VALUES ($1, 'here', 1, '0', '1', now(), now() + interval '1 day')`,
      [executor],
    )
    await worker
    await writes.takeUp(runId)
    taken.add(runId)
  }

  return {
    submit: writes.submit,
    admit: writes.admit,
    messages: writes.messages,
    acknowledge: writes.acknowledge,
    async append(runId, records) {
      await takeUp(runId)
      await writes.append(runId, records)
    },
    close,
  }
}
