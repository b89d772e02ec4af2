import type { RunRequest } from '../core/engine.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { outputsOf, stateOf } from '../engine/recorded-run.ts'
import { seedOf } from '../engine/seed.ts'
import type { Terminal } from './terminal.ts'
import { withHistory } from './with-history.ts'

/** The outputs of an earlier run that a new one begins with; `from` and what needs it are done again. */
export function seedFrom(
  runId: string,
  pipeline: Pipeline,
  from: string | undefined,
  terminal: Terminal,
): Promise<NonNullable<RunRequest['seed']>> {
  return withHistory(terminal, (journal) => ({
    runId,
    steps: seedOf(pipeline, outputsOf(stateOf(runId, journal)), from),
  }))
}
