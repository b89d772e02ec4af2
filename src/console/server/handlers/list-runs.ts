import { isoTime } from '../../../core/iso-time.ts'
import type { PageKey } from '../../../state/run-history.ts'
import { ApiFailure } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { toRunItem } from '../run-item.ts'

const USUAL = 50

/** A page of runs, read in the thread of the state. */
export const listRuns: Handler<'runs.list'> = async ({ state }, input) => {
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
  return { runs: rows.map(toRunItem), ...(next && placeAt(next)) }
}

function placeAt({ submittedAt, runId }: PageKey) {
  return { next: `${submittedAt}_${runId}`, lookedBackTo: isoTime(submittedAt) }
}

function keyOf(cursor: string): PageKey {
  const [, at, runId] = /^(\d{1,15})_(.+)$/.exec(cursor) ?? []
  if (at !== undefined && runId !== undefined) return { submittedAt: Number(at), runId }
  const message = 'cursor: is not the `next` of a page'
  throw new ApiFailure(400, { code: 'bad-request', message, fields: { cursor: 'is not the `next` of a page' } })
}
