import { createRecordTeller } from '../../../runs/record-teller.ts'
import type { View } from './view.ts'

const USUAL = 500

/** The events of a run, as `audience runs logs --json` has them. */
export const listEvents: View<'runs.logs'> = async ({ readRun, reader }, { runId, after = -1, limit = USUAL }) => {
  const { records } = await readRun(runId)
  const teller = createRecordTeller(runId, records, await reader())
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
