import { AudienceError } from '../../core/errors.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { systemClock } from '../../platform/clock.ts'
import { prepareRun } from '../../runs/prepare-run.ts'
import { stateAfter } from '../../runs/recorded-run.ts'
import { runNamed } from '../run-named.ts'
import { seedFrom } from '../seed-from.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import { submitAndFollow } from '../submit-and-follow.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { findRun, withState } from '../with-state.ts'

export interface RetryFlags extends AppFlags, SignFlags {
  readonly from?: string
}

/** Starts a new run with the request of an ended run, without its successful steps, and shows it. */
export async function retryRun(given: string, flags: RetryFlags, terminal: Terminal): Promise<number> {
  const startedBy = signedBy(flags, terminal)
  const earlierId = await runNamed(given, terminal)
  const { earlier, run } = await withState(terminal, async ({ runs }) => ({
    earlier: stateAfter(earlierId, await runs.records(earlierId)),
    run: await findRun(runs, earlierId),
  }))
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
  return withApp(
    flags,
    terminal,
    async (app) => {
      // A second retry would not know what the first one did. With --from, a person says what to repeat.
      const dedupe = flags.from === undefined && { dedupeKey: `retry/${earlierId}` }
      const wanted = { pipeline, folder, inputs, trigger, seed, startedBy, ...dedupe }
      const request = await prepareRun(wanted, {
        clock: systemClock,
        random: Math.random,
        gitVersionOf: app.gitVersionOf,
      })
      return submitAndFollow(app, request, flags, terminal)
    },
    { pipeline, run },
  )
}
