import { elapsedMs, formatDuration } from '../../core/duration.ts'
import { AudienceError } from '../../core/errors.ts'
import { printableData, printableJson } from '../../core/printable.ts'
import type { RunRow } from '../../state/journal.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { Terminal } from '../terminal.ts'

export interface ListFlags {
  readonly pipeline?: string
  readonly status?: readonly string[]
  readonly limit: number
  readonly json?: true
}

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const

/** Prints runs, newest first: one line or one JSON object each. */
export function listRuns(flags: ListFlags, terminal: Terminal): Promise<number> {
  const { pipeline, limit, json } = flags
  const status = flags.status?.map(statusNamed)
  return lookAtRuns(terminal, (journal) => {
    const rows = journal.list({ limit, ...(pipeline !== undefined && { pipeline }), ...(status && { status }) })
    for (const row of rows)
      terminal.out.write(`${json ? printableJson(JSON.stringify(plain(row))) : line(printableData(row))}\n`)
    if (rows.length === 0 && !json) terminal.out.write('no runs\n')
    return 0
  })
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

function line({ runId, status, pipeline, submittedAt, finishedAt, owner }: RunRow): string {
  const nobody = status === 'queued' ? 'in the queue' : 'nobody works on it'
  const took = finishedAt === undefined ? (owner ?? nobody) : formatDuration(elapsedMs(submittedAt, finishedAt))
  return `${runId}  ${status.padEnd(9)}  ${pipeline}  ${took}`
}

function plain({ submittedAt, finishedAt, ...row }: RunRow) {
  return {
    ...row,
    submittedAt: new Date(submittedAt).toISOString(),
    ...(finishedAt !== undefined && { finishedAt: new Date(finishedAt).toISOString() }),
  }
}
