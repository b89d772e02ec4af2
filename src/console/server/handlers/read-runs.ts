import { DAY_MS } from '../../../core/duration.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { graphOf } from '../../../runs/pipeline-graph.ts'
import { findRun } from '../../../runs/recorded-run.ts'
import type { PageKey } from '../../../state/run-history.ts'
import { ApiFailure, wrongFields } from '../api-failure.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { toRunItem } from '../run-item.ts'
import type { Today } from '../views/view.ts'

const USUAL = 50

export const readHandlers = {
  /** A page of runs, read in the thread of the state. */
  'runs.list': async ({ state }, input) => {
    const { status, pipeline, trigger, partial, error, q, from, to, cursor, limit = USUAL } = input
    const { rows, next } = await state.runs.page({
      limit,
      status: status?.length ? status : undefined,
      pipeline,
      trigger,
      partial,
      error,
      text: q,
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
      after: cursor === undefined ? undefined : keyOf(cursor),
    })
    return {
      runs: rows.map(toRunItem),
      next: next && `${next.submittedAt}_${next.runId}`,
      lookedBackTo: isoTime(next?.submittedAt),
    }
  },

  'runs.get': async (deps, input, { caller: { by, role } }) =>
    deps.view('runs.get', input, { today: await todayOf(deps, input.runId), caller: { by, role } }),

  'runs.document': async (deps, input) =>
    deps.view('runs.document', input, { today: await todayOf(deps, input.runId) }),

  'runs.steps': ({ view }, input, { caller: { by, role } }) => view('runs.steps', input, { caller: { by, role } }),

  'runs.logs': ({ view }, input) => view('runs.logs', input),

  'runs.events': (_deps, { runId, after = -1, follow = false }, { streamRun }) => streamRun({ runId, after, follow }),

  'runs.compare': ({ view }, input) => view('runs.compare', input),

  'hours.list': ({ view }, input) => {
    const lengthMs = Date.parse(input.to) - Date.parse(input.from)
    if (lengthMs <= 0 || lengthMs > LONGEST_PERIOD_MS)
      throw new ApiFailure(400, 'bad-range', '`to` must be after `from`, and at most 400 days later')
    return view('hours.list', input)
  },
} satisfies Partial<ApiHandlers>

function keyOf(cursor: string): PageKey {
  const [, at, runId] = /^(\d{1,15})_(.+)$/.exec(cursor) ?? []
  if (at !== undefined && runId !== undefined) return { submittedAt: Number(at), runId }
  throw wrongFields({ cursor: 'must be the `next` value of a page' })
}

const LONGEST_PERIOD_MS = 400 * DAY_MS

/** The current document of a run's pipeline; undefined if there is none. Throws `unknown-run`. */
async function todayOf({ state, documents }: ConsoleDeps, runId: string): Promise<Today | undefined> {
  const { pipeline } = await findRun(state.runs, runId)
  const today = documents().get(pipeline)?.pipeline
  return today && { digest: today.digest, text: today.text, steps: graphOf(today) }
}
