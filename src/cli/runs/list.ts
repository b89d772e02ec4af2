import { closestHint } from '../../core/did-you-mean.ts'
import { usageError } from '../../core/errors.ts'
import { RUN_STATUSES } from '../../core/format/statuses.ts'
import { isoTime } from '../../core/iso-time.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import { stepRef } from '../../core/run.ts'
import { findRun } from '../../runs/recorded-run.ts'
import type { RunFilter, RunRow } from '../../state/run-history.ts'
import type { ReadableState } from '../../state/state.ts'
import { unlessDamaged } from '../../state/state-damage.ts'
import { askedOf, stepsBlocked } from '../../status/steps-blocked.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import { parseSince } from '../parse-time.ts'
import { runNamed } from '../run-named.ts'
import type { Terminal } from '../terminal.ts'
import { type ListedRun, renderRuns } from '../views/render-runs.ts'
import { tableView } from '../views/table.ts'

export interface RunListFlags {
  readonly pipeline?: string
  readonly status?: readonly string[]
  readonly partial?: true
  readonly like?: string
  readonly since?: string
  readonly trigger?: string
  readonly limit: number
  readonly json?: true
}

/** Prints runs, newest first: a table, or one JSON object each. */
export async function listRuns(flags: RunListFlags, terminal: Terminal): Promise<number> {
  const { pipeline, limit, partial, json } = flags
  const { out, err } = terminal
  const now = terminal.surroundings.clock.now()
  const status = flags.status?.map(statusNamed)
  const since = flags.since === undefined ? undefined : parseSince(flags.since, now)
  const { trigger } = flags
  const like = flags.like === undefined ? undefined : await runNamed(flags.like, terminal)
  return lookAtRuns(terminal, async (runs) => {
    const kind = like === undefined ? undefined : await kindOf(like, runs)
    const { rows, more } = await newestRuns(runs, {
      limit,
      trigger,
      pipeline: kind?.pipeline ?? pipeline,
      error: kind?.error,
      status,
      partial,
      from: since,
    })
    const blocked = await blockedOf(rows, runs)
    if (json) {
      for (const row of await Promise.all(rows.map((each) => plain(each, blocked(each), runs))))
        out.write(`${jsonLine(row)}\n`)
      return 0
    }
    const shown = await Promise.all(rows.map((row) => listed(row, blocked(row), runs)))
    for (const line of renderRuns(shown, now, tableView(out))) out.write(`${line}\n`)
    if (more && limit > 0) err.write(`older runs are left out: --limit ${10 * limit} shows more\n`)
    const hint = rows.length === 0 && pipeline !== undefined && closestHint(pipeline, await runs.pipelines())
    if (hint) err.write(`no runs of the pipeline ${printable(pipeline)}: ${hint}\n`)
    return 0
  })
}

/** The key that the failure of a run shares with all failures of the same kind. */
async function kindOf(runId: string, runs: ReadableState['runs']) {
  const { pipeline, error } = await findRun(runs, runId)
  if (error) return { pipeline, error: error.key }
  throw usageError('run-not-failed', `run ${runId} has not failed`)
}

/**
 * The newest matching runs, however far back they are. Finding them may take several pages, because a page that is
 * filtered by trigger looks at only a limited number of runs.
 */
async function newestRuns(runs: ReadableState['runs'], filter: RunFilter) {
  const found: RunRow[] = []
  const wanted = filter.limit + 1
  let next: RunFilter['after']
  do {
    const page = await runs.page({ ...filter, limit: wanted - found.length, after: next })
    found.push(...page.rows)
    next = page.next
  } while (next && found.length < wanted)
  return { rows: found.slice(0, filter.limit), more: found.length === wanted }
}

/** The steps of unfinished runs that are waiting for another step, by run. */
async function blockedOf(rows: readonly RunRow[], runs: ReadableState['runs']) {
  const open = rows.filter(({ finishedAt }) => finishedAt === undefined).map(({ runId }) => runId)
  const found = open.length === 0 ? [] : await stepsBlocked(runs, open)
  return ({ runId }: RunRow) => found.filter((one) => one.runId === runId)
}

async function listed(row: RunRow, blocked: ListedRun['blocked'], runs: ReadableState['runs']): Promise<ListedRun> {
  const { trigger = {}, inputs = {} } = (await unlessDamaged(runs.submission(row.runId))) ?? {}
  return { ...row, trigger, inputs, blocked, waits: row.status === 'waiting' ? await waitsOf(row, runs) : [] }
}

async function waitsOf(row: RunRow, runs: ReadableState['runs']): Promise<ListedRun['waits']> {
  const steps = await askedOf(row, runs)
  return steps.flatMap((step) => {
    const { waitsFor, sent } = step
    return waitsFor ? [{ ...stepRef(step), waitsFor, sent }] : []
  })
}

function statusNamed(name: string): RunRow['status'] {
  const status = RUN_STATUSES.find((candidate) => candidate === name)
  if (status) return status
  throw usageError('unknown-status', `there is no run status "${name}"`, `use ${RUN_STATUSES.join(', ')}`)
}

/** The names are a contract: other programs use them. */
async function plain(
  { submittedAt, beganAt, finishedAt, partnerWaits, acknowledged, ...row }: RunRow,
  blocked: ListedRun['blocked'],
  runs: ReadableState['runs'],
) {
  const { inputs = {} } = (await unlessDamaged(runs.submission(row.runId))) ?? {}
  return {
    ...row,
    inputs,
    partnerWaits: partnerWaits && { ...partnerWaits, since: isoTime(partnerWaits.since) },
    acknowledged: acknowledged && { ...acknowledged, at: isoTime(acknowledged.at) },
    blocked: blocked.length > 0 ? blocked : undefined,
    submittedAt: isoTime(submittedAt),
    beganAt: isoTime(beganAt),
    finishedAt: isoTime(finishedAt),
  }
}
