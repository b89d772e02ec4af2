import { systemClock } from '../../clock.ts'
import { AudienceError } from '../../core/errors.ts'
import { runIdAt } from '../../core/run-id.ts'
import { stateOf } from '../../engine/recorded-run.ts'
import { readPipeline } from '../../read-pipeline.ts'
import { followRun } from '../follow-run.ts'
import { seedFrom } from '../seed-from.ts'
import type { Terminal } from '../terminal.ts'
import { type AppFlags, withApp } from '../with-app.ts'
import { withHistory } from '../with-history.ts'

export interface RetryFlags extends AppFlags {
  readonly from?: string
}

/** Starts a new run of what a run that has ended was asked to do, without what it did well, and shows it. */
export async function retryRun(earlierId: string, flags: RetryFlags, terminal: Terminal): Promise<number> {
  const earlier = await withHistory(terminal, (journal) => stateOf(earlierId, journal))
  if (!earlier.finished) {
    throw new AudienceError({
      code: 'run-not-ended',
      kind: 'usage',
      message: `run ${earlierId} has not ended`,
      hint: `go on with it: audience runs resume ${earlierId}`,
    })
  }
  const { file, folder, text, inputs, trigger } = earlier.submission
  const pipeline = readPipeline({ file, text })
  const seed = await seedFrom(earlierId, pipeline, flags.from, terminal)
  const runId = runIdAt(systemClock.now(), Math.random)
  return withApp(
    flags,
    terminal,
    async (app) => {
      await app.engine.submit({ runId, pipeline, folder, inputs, trigger, seed })
      return followRun(app, runId, flags, terminal)
    },
    pipeline,
  )
}
