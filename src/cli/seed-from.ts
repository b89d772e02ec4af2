import type { Pipeline } from '../core/pipeline.ts'
import type { Seed } from '../core/run.ts'
import { stateAfter } from '../runs/recorded-run.ts'
import { seedOf } from '../runs/seed.ts'
import type { Terminal } from './terminal.ts'
import { withState } from './with-state.ts'

/** What a new run keeps of an earlier one; `from` and the steps that need it are repeated. */
export function seedFrom(
  runId: string,
  pipeline: Pipeline,
  from: string | undefined,
  terminal: Terminal,
): Promise<Seed> {
  return withState(terminal, async ({ runs }) =>
    seedOf(pipeline, { runId, state: stateAfter(runId, await runs.records(runId)) }, from),
  )
}
