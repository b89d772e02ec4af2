import { serviceOf } from '../config/service-of.ts'
import type { Settings } from '../config/settings.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { RunRequest, Submission } from '../core/engine.ts'
import type { Secrets } from '../core/secrets.ts'
import { openSubmitter } from '../engine/distributed/open-submitter.ts'
import { openPostgresState } from '../state/postgres/open-postgres-state.ts'

/** Queues a run for the workers of a database. */
export async function submitToDatabase(
  request: RunRequest,
  {
    settings,
    url,
    secrets,
    clock,
  }: { readonly settings: Settings; readonly url: string; readonly secrets: Secrets; readonly clock: SteadyClock },
): Promise<Submission> {
  const here = serviceOf(settings)
  const redact = (text: string) => secrets.redact(text)
  const state = await openPostgresState({ url, redact, clock, here })
  try {
    const submitter = await openSubmitter({ state, url, here, clock })
    try {
      return await submitter.submit(request)
    } finally {
      await submitter.close()
    }
  } finally {
    await state.close()
  }
}
