import { type AudienceError, usageError } from '../core/errors.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import { runsInPages } from '../state/runs-in-pages.ts'
import type { ReadableState } from '../state/state.ts'
import { lookAtRuns } from './look-at-runs.ts'
import { SHORTEST_RUN_ID } from './options.ts'
import type { Terminal } from './terminal.ts'

/** The word that stands for the newest run wherever a command takes a run. */
const LATEST = 'latest'
const WHOLE = /^\d{8}t\d{6}-[a-z0-9]{10}$/
const MOST_LISTED = 5
const PAGE = 50

/**
 * The id of the run that a person named: the whole id, a part of it that only one run has (`RunHistory.named`), or
 * `latest`, the newest run that no other run started. A whole id is used as it is. Throws an AudienceError of the kind
 * `usage` for a part that is too short, that no run has, or that several runs have.
 */
export async function runNamed(text: string, terminal: Terminal): Promise<string> {
  if (WHOLE.test(text)) return text
  return lookAtRuns(terminal, async (runs) => {
    if (text === LATEST) return newest(runs)
    if (text.length < SHORTEST_RUN_ID) throw tooShort(text)
    const found = await runs.named(text, MOST_LISTED + 1)
    const [runId] = found
    if (runId === undefined) throw unknownRun(text)
    if (found.length > 1) throw ambiguousRun(text, found)
    return runId
  })
}

async function newest(runs: ReadableState['runs']): Promise<string> {
  for await (const run of runsInPages(runs, { limit: PAGE })) if (run.triggerKind !== 'run') return run.runId
  throw unknownRun(LATEST)
}

function tooShort(text: string): AudienceError {
  return usageError(
    'short-run-id',
    `"${text}" is too short for the id of a run`,
    `write at least ${SHORTEST_RUN_ID} characters of it; \`audience runs list\` shows the ids`,
  )
}

function ambiguousRun(text: string, found: readonly string[]): AudienceError {
  const more = found.length > MOST_LISTED ? ', …' : ''
  return usageError(
    'ambiguous-run',
    `"${text}" can mean more than one run: ${found.slice(0, MOST_LISTED).join(', ')}${more}`,
    'write more of the id',
  )
}
