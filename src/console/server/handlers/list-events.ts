import { createRecordTeller } from '../../../runs/record-teller.ts'
import type { Handler } from '../call.ts'
import { readRecords } from '../run-facts.ts'

const USUAL = 500

/** The events of a run, as `audience runs logs --json` has them. */
export const listEvents: Handler<'runs.logs'> = async (deps, { runId, after = -1, limit = USUAL }) => {
  const { records } = await readRecords(deps, runId)
  const teller = createRecordTeller(runId, records, deps)
  teller.tell(records.filter(({ seq }) => seq <= after))
  const events: Record<string, unknown>[] = []
  let last = after
  for (const stored of records.filter(({ seq }) => seq > after)) {
    if (events.length >= limit) return { events, last, more: true }
    events.push(...teller.tell([stored]).map((event) => ({ ...event })))
    last = stored.seq
  }
  return { events, last, more: false }
}
