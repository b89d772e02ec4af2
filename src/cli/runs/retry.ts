import { retryOf, startRetry } from '../../acts/retry-run.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { followStarted } from '../follow-started.ts'
import { runNamed } from '../run-named.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { withState } from '../with-state.ts'

export interface RetryFlags extends AppFlags, SignFlags {
  readonly from?: string
}

/** Starts a new run with the request of an ended run, without its successful steps, and shows it. */
export async function retryRun(given: string, flags: RetryFlags, terminal: Terminal): Promise<number> {
  const startedBy = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { from } = flags
  const { row, wanted } = await withState(terminal, ({ runs }) => retryOf({ runId, from }, { runs, readPipeline }))
  return withApp(
    flags,
    terminal,
    async (app) => {
      const { engine, gitVersionOf, uploadersOf } = app
      const deps = { ...terminal.surroundings, engine, gitVersionOf, uploadersOf }
      return followStarted(app, await startRetry({ ...wanted, startedBy }, deps), flags, terminal)
    },
    { pipeline: wanted.pipeline, run: row },
  )
}
