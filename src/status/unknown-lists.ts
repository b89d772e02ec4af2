import type { Settings } from '../config/settings.ts'
import { InvalidDocumentError } from '../core/errors.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import type { KeptList } from '../membership/kept-lists.ts'
import { unpreparedUploadsOf } from '../pipeline/check-prepared.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { whyNothingKept } from './why-nothing-kept.ts'

/** A list that cannot be searched: it may hold any key. */
export interface UnknownList {
  readonly pipeline: string
  /** The run whose list is live: the last one that succeeded. */
  readonly runId: string
  /** The step that prepared or uploaded it. */
  readonly step?: string
  readonly why: string
}

/** What a run sent that its kept lists do not show. */
export async function unknownLists(
  run: RunRow,
  lists: readonly KeptList[],
  {
    settings,
    now,
    runs,
  }: { readonly settings: Settings; readonly now: number; readonly runs: Pick<RunHistory, 'records'> },
): Promise<readonly UnknownList[]> {
  const { runId, pipeline } = run
  const records = (await runs.records(runId)).map(({ record }) => record)
  const [first] = records
  if (first?.type !== 'run.submitted') return []
  const document = documentIn(first)
  if (!document) return [{ pipeline, runId, why: 'this version cannot read the document of its run' }]
  const done = new Set(
    records.flatMap((one) => (one.type === 'step.finished' && one.status === 'succeeded' ? [one.step] : [])),
  )
  const unprepared = unpreparedUploadsOf(document)
  return stepsOf(document).flatMap((step) => {
    const isKept = () => lists.some(({ facts }) => isOf(facts.step, step.id))
    const why = unprepared.includes(step)
      ? 'it uploads a file that files.prepare did not write'
      : step.uses === 'files.prepare' && !isKept() && whyNothingKept(run, settings, now)
    return why && done.has(step.id) ? [{ pipeline, runId, step: step.id, why }] : []
  })
}

function documentIn(source: { readonly text: string; readonly file: string }): Pipeline | undefined {
  try {
    return readPipeline(source)
  } catch (error) {
    if (error instanceof InvalidDocumentError) return undefined
    throw error
  }
}

/** Whether a step execution is of a step, such as `list`, `list[3]` or `audience[x].list`. */
function isOf(key: string, id: string): boolean {
  return key === id || key.startsWith(`${id}[`) || key.endsWith(`].${id}`)
}
