import type { StepContext, StepRequest } from '../../../../src/core/engine.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import type { Actor, HumanDecision, StepRef } from '../../../../src/core/run.ts'
import { LOCAL_PROFILE } from '../../../../src/core/service-ref.ts'
import { openSubmitter } from '../../../../src/engine/distributed/open-submitter.ts'
import type { DistributedDeps, SharingEngine } from '../../../../src/engine/distributed/sharing-engine.ts'
import { systemClock } from '../../../../src/platform/clock.ts'
import { openPostgresState, type PostgresState } from '../../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../../support/around.ts'
import { openWorker } from '../../../support/open-worker.ts'
import { createDatabase } from '../../../support/postgres.ts'
import { sql } from '../../../support/sql.ts'
import { freshDbos } from './fresh-dbos.ts'

/** A lease ends only if the test ends it, even on a busy machine. */
const LONG = { leaseMs: 300_000, guardMs: 0 }

type Work = (context: StepContext, request: StepRequest) => Promise<JsonObject>

/** Workers on one database, all in this process. With `asRole`, they use the role of the URL that it returns. */
export async function distributedWorld({ asRole }: { readonly asRole?: (url: string) => Promise<string> } = {}) {
  const database = await createDatabase()
  const url = (await asRole?.(database.url)) ?? database.url
  const opened: { engine?: SharingEngine; state: PostgresState }[] = []
  const here = { profile: LOCAL_PROFILE }
  const openState = () => openPostgresState({ url: database.url, redact: (text) => text, ...around })
  const endLeases = () => sql(database.url, `UPDATE audience.workers SET expires_at = now() - interval '1 second'`)
  return {
    url: database.url,
    async open(work: Work, { takesAll, ...own }: { takesAll?: true } & Partial<DistributedDeps> = {}) {
      const { engine, state } = await openWorker(url, work, {
        takes: takesAll ? 'all' : 'own',
        // The worker that takes over checks often; the others do not renew a lease that the test has ended.
        times: { ...LONG, beatMs: takesAll ? 100 : 100_000 },
        sdk: freshDbos(),
        ...own,
      })
      opened.push({ engine, state })
      return engine
    },
    async openSubmitter() {
      const state = await openState()
      opened.push({ state })
      return openSubmitter({ state, url: database.url, here, clock: systemClock, env: {}, sdk: freshDbos() })
    },
    decide: async (runId: string, ref: StepRef, decision: HumanDecision, actor?: Actor) =>
      opened.at(-1)!.state.runs.send(runId, { kind: 'decide', ref, decision, ...actor }),
    endLeases,
    /** Disconnects the engines from the database: to all others they look dead. */
    async crash() {
      for (const { state } of opened) await state.close()
      await endLeases()
    },
    async remove() {
      await Promise.all(opened.map(({ engine }) => engine?.stop(1000)))
      for (const { state } of opened) if (!state.pool.ended) await state.close()
      await database.remove()
    },
  }
}
