import { serviceOf } from '../config/choose-service.ts'
import type { RunRequest, Submission } from '../core/engine.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { createEngine } from '../engine/embedded/create-engine.ts'
import { openEmbeddedState } from '../state/sqlite/open-embedded-state.ts'
import { stepTypes } from '../steps/index.ts'
import type { TargetDeps } from './open-target.ts'
import { protect } from './protect.ts'

type SubmitDeps = Pick<TargetDeps, 'settings' | 'env' | 'secrets' | 'surroundings'>

/** Queues a run for the current or next process that works on this state. This process does not work on it. */
export async function submitDetached(request: RunRequest, deps: SubmitDeps): Promise<Submission> {
  const { settings, env, secrets, surroundings } = deps
  protect(request.pipeline, { env, secrets })
  const { database } = settings
  if (database) {
    for (const password of database.passwords) secrets.add(password)
    return submitToDatabase(request, database.url, deps)
  }
  const state = openEmbeddedState({
    folder: settings.state,
    redact: (text) => secrets.redact(text),
    clock: surroundings.clock,
    machine: surroundings.machine,
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

/** Queues a run for the workers of a database. Only this function loads the packages for a database. */
async function submitToDatabase(
  request: RunRequest,
  url: string,
  { settings, env, secrets, surroundings: { clock } }: SubmitDeps,
): Promise<Submission> {
  const [{ openSubmitter }, { openPostgresState }] = await Promise.all([
    import('../engine/distributed/open-submitter.ts'),
    import('../state/postgres/open-postgres-state.ts'),
  ])
  const here = serviceOf(settings)
  const redact = (text: string) => secrets.redact(text)
  const state = await openPostgresState({ url, redact, clock, here })
  try {
    const submitter = await openSubmitter({ state, url, here, clock, env })
    try {
      return await submitter.submit(request)
    } finally {
      await submitter.close()
    }
  } finally {
    await state.close()
  }
}
