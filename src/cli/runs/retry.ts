import { AudienceError } from '../../core/errors.ts'
import { type StoredRecord, stepKey } from '../../core/run.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { systemClock } from '../../platform/clock.ts'
import { answerCommands } from '../../runs/answer-commands.ts'
import { describeRun } from '../../runs/describe-run.ts'
import { prepareRun } from '../../runs/prepare-run.ts'
import { findRun, stateAfter } from '../../runs/recorded-run.ts'
import type { RunRow } from '../../state/run-history.ts'
import { runNamed } from '../run-named.ts'
import { seedFrom } from '../seed-from.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import { submitAndFollow } from '../submit-and-follow.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { withState } from '../with-state.ts'

export interface RetryFlags extends AppFlags, SignFlags {
  readonly from?: string
}

/** Starts a new run with the request of an ended run, without its successful steps, and shows it. */
export async function retryRun(given: string, flags: RetryFlags, terminal: Terminal): Promise<number> {
  const startedBy = signedBy(flags, terminal)
  const earlierId = await runNamed(given, terminal)
  const { earlier, run } = await withState(terminal, async ({ runs }) => {
    const records = await runs.records(earlierId)
    const row = await findRun(runs, earlierId)
    if (row.finishedAt === undefined) throw notEnded(row, records)
    return { earlier: stateAfter(earlierId, records), run: row }
  })
  const { file, folder, text, inputs, trigger } = earlier.submission
  const pipeline = readPipeline({ file, text })
  const kept = await seedFrom(earlierId, { pipeline, inputs }, flags.from, terminal)
  return withApp(
    flags,
    terminal,
    async (app) => {
      // A second retry would not know what the first one did. With --from, a person says what to repeat.
      const dedupe = flags.from === undefined && { dedupeKey: `retry/${earlierId}` }
      const wanted = { pipeline, folder, inputs, trigger, ...kept, startedBy, ...dedupe }
      const request = await prepareRun(wanted, {
        clock: systemClock,
        random: Math.random,
        gitVersionOf: app.gitVersionOf,
        uploadersOf: app.uploadersOf,
      })
      return submitAndFollow(app, request, flags, terminal)
    },
    { pipeline, run },
  )
}

function notEnded(row: RunRow, records: readonly StoredRecord[]): AudienceError {
  const { runId, owner } = row
  const waiting = describeRun(row, records).steps.find(({ waitsFor }) => waitsFor)
  const hint = waiting
    ? `${stepKey(waiting)} waits for a person: ${answerCommands(runId, waiting).join(', or ')}`
    : owner === undefined
      ? `go on with it: audience runs resume ${runId}`
      : `${owner} works on it: audience runs watch ${runId}`
  return new AudienceError({ code: 'run-not-ended', kind: 'usage', message: `run ${runId} has not ended`, hint })
}
