import type { Settings } from '../config/settings.ts'
import { stepsOf } from '../core/pipeline.ts'
import type { KeptList } from '../membership/kept-lists.ts'
import { unpreparedUploadsOf } from '../pipeline/check-prepared.ts'
import type { RunRow } from '../state/run-history.ts'
import type { UnknownList } from './held-keys-report.ts'
import type { RecordedSteps } from './recorded-document.ts'
import { isUploaded, stepIdIn } from './uploaded-lists.ts'
import { whyNothingKept } from './why-nothing-kept.ts'

/** What a run sent that its kept lists do not show. */
export function unknownLists(
  run: RunRow,
  lists: readonly KeptList[],
  recorded: RecordedSteps,
  { settings, now }: { readonly settings: Settings; readonly now: number },
): readonly UnknownList[] {
  const { runId, pipeline } = run
  const { document, done } = recorded
  if (!document) return [{ pipeline, runId, why: 'this version cannot read the document of its run' }]
  const unprepared = unpreparedUploadsOf(document)
  return stepsOf(document).flatMap((step) => {
    const isKept = () => lists.some(({ facts }) => stepIdIn(facts.step) === step.id)
    const why = unprepared.includes(step)
      ? 'it uploads a file that files.prepare did not write'
      : step.uses === 'files.prepare' &&
        isUploaded(step.id, recorded) &&
        !isKept() &&
        whyNothingKept(run, settings, now)
    return why && done.has(step.id) ? [{ pipeline, runId, step: step.id, why }] : []
  })
}
