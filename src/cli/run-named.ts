import { AudienceError } from '../core/errors.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import type { ReadableState } from '../state/state.ts'
import { lookAtRuns } from './look-at-runs.ts'
import type { Terminal } from './terminal.ts'

/** What stands for the newest run wherever a command takes a run. */
const LATEST = 'latest'
const WHOLE = /^\d{8}t\d{6}-[a-z0-9]{10}$/
const MOST_LISTED = 5

/**
 * The id of the run that a person named: the whole id, a part of it that only one run has, or `latest`. A whole id is
 * taken as it is. Throws an AudienceError of the kind `usage` for a part that no run has, or several.
 */
export async function runNamed(text: string, terminal: Terminal): Promise<string> {
  if (WHOLE.test(text)) return text
  return lookAtRuns(terminal, async (runs) => {
    const found = text === LATEST ? await newest(runs) : await runs.named(text, MOST_LISTED + 1)
    const [runId] = found
    if (runId === undefined) throw unknownRun(text)
    if (found.length > 1) throw ambiguousRun(text, found)
    return runId
  })
}

async function newest(runs: ReadableState['runs']): Promise<string[]> {
  const { rows } = await runs.page({ limit: 1 })
  return rows.map(({ runId }) => runId)
}

function ambiguousRun(text: string, found: readonly string[]): AudienceError {
  const more = found.length > MOST_LISTED ? ', …' : ''
  return new AudienceError({
    code: 'ambiguous-run',
    kind: 'usage',
    message: `"${text}" can mean more than one run: ${found.slice(0, MOST_LISTED).join(', ')}${more}`,
    hint: 'write more of the id',
  })
}
