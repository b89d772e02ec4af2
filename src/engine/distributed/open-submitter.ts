import type { SteadyClock } from '../../core/clock.ts'
import type { Engine } from '../../core/engine.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { PostgresState } from '../../state/postgres/open-postgres-state.ts'
import { submitRun } from '../../state/postgres/submit-run.ts'
import { createAddAct } from '../../state/sql/audit.ts'
import { newRun } from '../new-run.ts'
import { createDbos, type DbosPackage, loadDbos, PROTOCOL, queueOf } from './dbos.ts'

/** Submits runs for the workers of a database. This process is not a worker and does not work on runs. */
export async function openSubmitter({
  state: { db, pool, redact },
  url,
  here,
  clock,
  env,
  sdk,
}: {
  state: Pick<PostgresState, 'db' | 'pool' | 'redact'>
  url: string
  here: ServiceAtHand
  clock: SteadyClock
  env: Readonly<Record<string, string | undefined>>
  sdk?: DbosPackage
}): Promise<Pick<Engine, 'submit'> & { close(): Promise<void> }> {
  const dbos = await createDbos({
    sdk: sdk ?? (await loadDbos()),
    pool,
    url,
    executor: '',
    protocol: PROTOCOL,
    queue: queueOf(here),
    log: () => undefined,
  })
  const addAct = createAddAct({ now: clock.now, redact })
  return {
    submit: (request) =>
      db.transaction((query) =>
        submitRun(query, newRun(request, { at: clock.now(), profile: here.profile, env }), {
          here,
          redact,
          addAct,
          owner: null,
          enqueue: dbos.enqueue,
        }),
      ),
    close: dbos.close,
  }
}
