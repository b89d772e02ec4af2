import { triggerName } from '../../core/occurrence.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { Terminal } from '../terminal.ts'

const MOST_RUNS = 50

/** The values of a kind, one a line, each with a note after a tab; none if they cannot be read. */
export async function listValues(what: string, terminal: Terminal): Promise<readonly string[]> {
  try {
    if (what === 'schedule') return await schedules(terminal)
    return await lookAtRuns(terminal, async (runs) => {
      if (what === 'pipeline') return runs.pipelines()
      const { rows } = await runs.page({ limit: MOST_RUNS })
      return [
        'latest\tthe newest run',
        ...rows.map(({ runId, pipeline, status }) => `${runId}\t${pipeline}, ${status}`),
      ]
    })
  } catch {
    // A shell that completes a word has no place for an error.
    return []
  }
}

async function schedules(terminal: Terminal): Promise<readonly string[]> {
  const { findSchedules } = await import('../schedule/find-schedules.ts')
  const silent = Object.assign(Object.create(terminal.err), { write: () => true })
  const { schedules: found } = await findSchedules(undefined, { ...terminal, err: silent })
  return [...new Set(found.flatMap(({ ref }) => [ref.pipeline, triggerName(ref)]))]
}
