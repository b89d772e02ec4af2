import type { Pipeline } from '../core/pipeline.ts'
import type { Seed } from '../core/run.ts'
import { stateOf } from '../runs/recorded-run.ts'
import { seedOf } from '../runs/seed.ts'
import type { Terminal } from './terminal.ts'
import { withHistory } from './with-history.ts'

/** What a new run keeps of an earlier one; `from` and the steps that need it are repeated. */
export function seedFrom(
  runId: string,
  pipeline: Pipeline,
  from: string | undefined,
  terminal: Terminal,
): Promise<Seed> {
  return withHistory(terminal, (journal) => seedOf(pipeline, { runId, state: stateOf(runId, journal) }, from))
}
