import { serviceOf } from '../config/service-of.ts'
import type { Settings } from '../config/settings.ts'
import type { RunRequest, Submission } from '../core/engine.ts'
import type { Secrets } from '../core/secrets.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { createEngine } from '../engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { stepTypes } from '../steps/index.ts'
import type { Surroundings } from './surroundings.ts'

/** Queues a run for the current or next process that works on this state; this process does not work on it. */
export async function submitDetached(
  request: RunRequest,
  {
    settings,
    env,
    secrets,
    surroundings,
  }: {
    settings: Settings
    env: Readonly<Record<string, string | undefined>>
    secrets: Secrets
    surroundings: Surroundings
  },
): Promise<Submission> {
  for (const name of request.pipeline.env) secrets.add(env[name] ?? '')
  const { database } = settings
  if (database) {
    for (const password of database.passwords) secrets.add(password)
    const { submitToDatabase } = await import('./submit-to-database.ts')
    return submitToDatabase(request, { settings, url: database.url, secrets, clock: surroundings.clock })
  }
  const state = openEmbeddedState({
    folder: settings.state,
    redact: (text) => secrets.redact(text),
    ...{ clock: surroundings.clock, machine: surroundings.machine },
    here: serviceOf(settings),
  })
  const engine = createEngine({
    journal: state.journal,
    ...surroundings,
    stepTypes,
    runStep: () => Promise.reject(new Error('nothing is run here')),
    readPipeline,
    env,
    profile: settings.profileName,
    maxRuns: 0,
  })
  try {
    return await engine.submit(request)
  } finally {
    await engine.stop(0)
    await state.close()
  }
}
