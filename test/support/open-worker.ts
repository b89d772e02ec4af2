import type { StepContext, StepRequest } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Redact } from '../../src/core/secrets.ts'
import { LOCAL_PROFILE } from '../../src/core/service-ref.ts'
import { openDistributedEngine } from '../../src/engine/distributed/open-distributed-engine.ts'
import type { DistributedDeps, SharingEngine } from '../../src/engine/distributed/sharing-engine.ts'
import { openPostgresState, type PostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import { around } from './around.ts'
import { readTestPipeline, testStepTypes } from './pipelines.ts'

/**
 * A worker together with its state. The worker is like that of `audience start`, but all its steps do the same work.
 * The caller closes both.
 */
export async function openWorker(
  url: string,
  work: (context: StepContext, request: StepRequest) => Promise<JsonObject>,
  { redact = (text) => text, ...own }: Partial<DistributedDeps> & { readonly redact?: Redact } = {},
): Promise<{ readonly engine: SharingEngine; readonly state: PostgresState }> {
  const state = await openPostgresState({ url, redact, ...around })
  const engine = await openDistributedEngine({
    state,
    url,
    here: { profile: LOCAL_PROFILE },
    ...around,
    random: () => 0.5,
    stepTypes: testStepTypes,
    runStep: (_name, context, request) => work(context, request),
    readPipeline: readTestPipeline,
    env: {},
    takes: 'all',
    version: 'test',
    log: () => undefined,
    ...own,
  }).catch(async (error: unknown) => {
    await state.close()
    throw error
  })
  return { engine, state }
}
