import type { Engine } from '../core/engine.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { Secrets } from '../core/secrets.ts'

/** The engine for everything that shows, logs, counts or sends: no event that it tells holds a secret of this process. */
export function engineWithoutSecrets(engine: Engine, { redactData }: Pick<Secrets, 'redactData'>): Engine {
  // Several may listen to one event.
  const told = new WeakMap<RunEvent, RunEvent>()
  const redacted = (event: RunEvent): RunEvent => {
    const known = told.get(event) ?? redactData(event)
    told.set(event, known)
    return known
  }
  return {
    submit: (request) => engine.submit(request),
    resume: (runId) => engine.resume(runId),
    cancel: (runId, actor) => engine.cancel(runId, actor),
    decide: (runId, ref, decision, actor) => engine.decide(runId, ref, decision, actor),
    async *events(runId) {
      for await (const event of engine.events(runId)) yield redacted(event)
    },
    watch: (listener) => engine.watch((event) => listener(redacted(event))),
    load: () => engine.load(),
    stuck: () => engine.stuck(),
    start: () => engine.start(),
    stop: (graceMs) => engine.stop(graceMs),
  }
}
