import type { FieldChange } from '../core/format/field-change.ts'
import type { JsonObject } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import { awaitJob, maxWaitOf } from './await-job.ts'
import type { StepRun } from './define-step.ts'
import { fieldChanges } from './field-changes.ts'
import { type MatchSplit, matchMemory, rememberMatch } from './match-memory.ts'
import type { MatchRequest } from './same-match.ts'
import { sendWrite, withRepeated } from './writes/send-write.ts'

/**
 * Whether the split must be sent. The service does not show the split of a match, so only the remembered one counts.
 * The contract does not say that a split outlasts a refresh, and repeating it is harmless (decision 78).
 */
export function needsSplit(wanted: MatchSplit | undefined, remembered: MatchSplit | undefined): boolean {
  if (!wanted) return false
  const { shaveOffPercent, controlHoldoutPercent } = { ...remembered, ...wanted }
  return shaveOffPercent !== remembered?.shaveOffPercent || controlHoldoutPercent !== remembered?.controlHoldoutPercent
}

/** The changes to the split, compared with the last remembered one. */
export function changesOfSplit(wanted: MatchSplit | undefined, remembered: MatchSplit | undefined): FieldChange[] {
  const before = (field: string) => remembered?.[field as keyof MatchSplit]
  const changes = fieldChanges(['shaveOffPercent', 'controlHoldoutPercent'], { ...wanted }, before)
  return changes.map((change) => ({ ...change, field: `testControl.${change.field}` }))
}

/** Splits the step's match, waits for the job and remembers the split. */
export async function splitMatch(
  matchId: string,
  step: StepRun<MatchRequest & { testControl?: MatchSplit }>,
  key: MemoryKey,
): Promise<JsonObject> {
  const { input, services } = step
  const { testControl } = input
  const remember = async (change: { jobId: string | undefined; split?: MatchSplit }) => {
    const known = matchMemory(await services.stepMemory.get(key))
    await rememberMatch(key, { ...known, ...change }, services)
  }
  const request = { matchId, ...testControl }
  const maxWaitMs = maxWaitOf(step)
  const write = { operation: 'matches.testControl', input: request, name: 'split.', maxWaitMs } as const
  const written = await sendWrite(write, step)
  const { id: jobId } = written.answer
  // A later run has to wait for the job if this run does not see the job end.
  if (typeof jobId === 'string') await remember({ jobId })
  const { outputs } = await awaitJob(written, step)
  const { split } = matchMemory(await services.stepMemory.get(key))
  await remember({ jobId: undefined, split: { ...split, ...testControl } })
  return withRepeated({ ...outputs, matchId }, written)
}
