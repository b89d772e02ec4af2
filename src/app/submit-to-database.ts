import { serviceOf } from '../config/service-of.ts'
import type { Settings } from '../config/settings.ts'
import type { RunRequest, Submission } from '../core/engine.ts'
import type { Secrets } from '../core/secrets.ts'
import { openSubmitter } from '../engine/distributed/open-submitter.ts'
import { systemClock } from '../platform/clock.ts'
import { openPostgresState } from '../state/postgres/open-postgres-state.ts'

/** Queues a run for the workers of a database. */
export async function submitToDatabase(
  request: RunRequest,
  { settings, url, secrets }: { readonly settings: Settings; readonly url: string; readonly secrets: Secrets },
): Promise<Submission> {
  const here = serviceOf(settings)
  const redact = (text: string) => secrets.redact(text)
  const state = await openPostgresState({ url, redact, now: systemClock.now, here })
  try {
    const submitter = await openSubmitter({ state, url, here, clock: systemClock })
    try {
      return await submitter.submit(request)
    } finally {
      await submitter.close()
    }
  } finally {
    await state.close()
  }
}
