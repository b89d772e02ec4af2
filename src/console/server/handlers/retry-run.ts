import { requireSameService } from '../../../core/service-ref.ts'
import { submittersOf } from '../../../runs/ask-approval.ts'
import { prepareRun } from '../../../runs/prepare-run.ts'
import { stateAfter } from '../../../runs/recorded-run.ts'
import { groupBusy } from '../../../runs/run-groups.ts'
import { seedOf } from '../../../runs/seed.ts'
import { conflict } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import { readRecords } from '../run-facts.ts'

/** A new run with the request of an ended one; what succeeded is not done again. */
export const retryRun: Handler<'runs.retry'> = async (deps, { runId: earlierId, from, reason }, { caller }) => {
  const { row, records, submission } = await readRecords(deps.state.runs, earlierId)
  requireSameService(row, deps.here)
  if (row.finishedAt === undefined) throw conflict('run-not-ended', `run ${earlierId} has not ended`)
  const { file, folder, text, inputs, trigger } = submission
  const pipeline = deps.readPipeline({ file, text })
  deps.protect(pipeline)
  const seed = seedOf(pipeline, { runId: earlierId, state: stateAfter(earlierId, records) }, from)
  // A second retry would not know what the first one did. With `from`, a person says what to repeat.
  const dedupe = from === undefined && { dedupeKey: `retry/${earlierId}` }
  const startedBy = actorOfCaller(caller, reason)
  const submitters = submittersOf(submission)
  const wanted = { pipeline, folder, inputs, trigger, seed, startedBy, submitters, ...dedupe }
  const request = await prepareRun(wanted, deps)
  const { runId, state } = await deps.engine.submit(request)
  if (state === 'existing') throw conflict('already-retried', `run ${earlierId} was retried already, as run ${runId}`)
  if (state === 'refused') throw conflict('group-busy', groupBusy(pipeline.name, runId).message)
  return { runId, state }
}
