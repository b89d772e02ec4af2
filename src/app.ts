import { systemClock } from './clock.ts'
import type { Engine } from './core/engine.ts'
import type { Pipeline } from './core/pipeline.ts'
import { createChildRuns } from './create-child-runs.ts'
import { createEngine } from './engine/create-engine.ts'
import { openEmbeddedState } from './engine/embedded/open-embedded-state.ts'
import { openClient } from './open-client.ts'
import type { TargetMeans } from './open-target.ts'
import { readPipeline } from './read-pipeline.ts'
import { stepTypes } from './steps/index.ts'

/** The whole runner, wired; `close` ends everything that it started, within a bound. */
export interface App {
  readonly engine: Engine
  /** The values of the environment variables that a pipeline names are secrets from then on. */
  protect(pipeline: Pipeline): void
  close(): Promise<void>
}

/** How long work in progress gets to come to a rest. */
const GRACE_MS = 5000

/** Wires the runner for one profile: the state, the service or a client of one, the steps and the engine. */
export async function openApp(means: TargetMeans): Promise<App> {
  const { settings, env, secrets } = means
  const protect = (pipeline: Pipeline) => {
    for (const name of pipeline.env) secrets.add(env[name] ?? '')
  }
  const { journal, ledger } = openEmbeddedState({
    folder: settings.state,
    redact: (text) => secrets.redact(text),
    now: systemClock.now,
  })
  try {
    const client = await openClient(means)
    const readDocument = (source: { text: string; file: string }) => {
      const pipeline = readPipeline(source)
      protect(pipeline)
      return pipeline
    }
    const services = {
      api: client.api,
      ledger,
      profile: settings.profileName,
      clock: systemClock,
      childRuns: createChildRuns({
        engine: () => engine,
        journal,
        clock: systemClock,
        random: Math.random,
        readPipeline: readDocument,
      }),
    }
    const engine: Engine = createEngine({
      journal,
      clock: systemClock,
      random: Math.random,
      stepTypes,
      runStep: (name, context, request) => runnable(name).run(context, request, services),
      readPipeline: readDocument,
      env,
    })
    return {
      engine,
      protect,
      async close() {
        await engine.stop(GRACE_MS)
        await client.close()
        journal.close()
      },
    }
  } catch (error) {
    journal.close()
    throw error
  }
}

function runnable(name: string) {
  const type = stepTypes.get(name)
  if (!type) throw new Error(`there is no step type ${name}`)
  return type
}
