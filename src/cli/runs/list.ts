import { parseDuration } from '../../core/duration.ts'
import { AudienceError } from '../../core/errors.ts'
import { printableData, printableJson } from '../../core/printable.ts'
import { describeRun } from '../../runs/describe-run.ts'
import type { RunRow } from '../../state/journal.ts'
import type { ReadableState } from '../../state/sqlite/open-readable-state.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { parseTime } from '../parse-time.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { type ListedRun, renderRuns } from '../views/render-runs.ts'
import { styleFor } from '../views/style.ts'

export interface ListFlags {
  readonly pipeline?: string
  readonly status?: readonly string[]
  readonly since?: string
  readonly trigger?: string
  readonly limit: number
  readonly json?: true
}

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const

/** How many of the newest runs are looked at for those of a trigger. */
const MOST_SEARCHED = 10_000

/** Prints runs, newest first: a table, or one JSON object each. */
export function listRuns(flags: ListFlags, terminal: Terminal): Promise<number> {
  const { pipeline, limit, json } = flags
  const { out } = terminal
  const now = Date.now()
  const status = flags.status?.map(statusNamed)
  const since = flags.since === undefined ? undefined : sinceOf(flags.since, now)
  return withReadableState(settingsOf(terminal), (state) => {
    const found = state.journal.list({
      limit: flags.trigger === undefined ? limit : MOST_SEARCHED,
      ...(pipeline !== undefined && { pipeline }),
      ...(status && { status }),
      ...(since !== undefined && { since }),
    })
    const rows = flags.trigger === undefined ? found : startedBy(flags.trigger, found, state).slice(0, limit)
    const lines = json
      ? rows.map((row) => printableJson(JSON.stringify(plain(row))))
      : renderRuns(printableData(rows.map((row) => listed(row, state))), {
          now,
          style: styleFor(out),
          ...(out.isTTY && { width: out.columns }),
        })
    for (const line of lines) out.write(`${line}\n`)
    return 0
  })
}

function listed(row: RunRow, { lookup, journal }: ReadableState): ListedRun {
  const ends = lookup.ends(row.runId)
  const waits =
    row.status === 'waiting'
      ? describeRun(row, journal.records(row.runId)).steps.flatMap(({ step, index, waitsFor }) =>
          waitsFor ? [{ step, ...(index !== undefined && { index }), waitsFor }] : [],
        )
      : []
  return {
    ...row,
    trigger: ends?.first.type === 'run.submitted' ? ends.first.trigger : {},
    inputs: ends?.first.type === 'run.submitted' ? ends.first.inputs : {},
    ...(ends?.last.type === 'run.finished' && ends.last.error && { error: ends.last.error }),
    waits,
  }
}

function statusNamed(name: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((candidate) => candidate === name)
  if (status) return status
  throw new AudienceError({
    code: 'unknown-status',
    kind: 'usage',
    message: `there is no run status "${name}"`,
    hint: `use ${STATUSES.join(', ')}`,
  })
}

/** The runs that a trigger of this id, or of this kind, started. */
function startedBy(name: string, rows: readonly RunRow[], { lookup }: ReadableState): readonly RunRow[] {
  return rows.filter(({ runId }) => {
    const { kind, id } = lookup.trigger(runId)
    return kind === name || id === name
  })
}

/** How far back a person wants to look: a duration before now, or a time. */
function sinceOf(text: string, now: number): number {
  const ms = parseDuration(text)
  return ms === undefined ? parseTime(text, '--since', '7d, 12h, ') : now - ms
}

/** The names are a contract: others build on them. */
function plain({ submittedAt, finishedAt, ...row }: RunRow) {
  return {
    ...row,
    submittedAt: new Date(submittedAt).toISOString(),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt).toISOString() }),
  }
}
