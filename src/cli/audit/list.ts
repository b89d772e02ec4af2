import { isoTime } from '../../core/iso-time.ts'
import { jsonLine } from '../../core/printable.ts'
import type { AuditEntry } from '../../state/audit-log.ts'
import type { ReadableState } from '../../state/state.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { parseSince } from '../parse-time.ts'
import { settingsOf } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { renderAudit } from '../views/render-audit.ts'
import { tableView } from '../views/table.ts'

export interface AuditListFlags {
  readonly subject?: string
  readonly by?: string
  readonly since?: string
  readonly limit: number
  readonly json?: true
}

/** How many entries are read at a time. */
const PAGE = 1000

/** Prints entries of the audit log, newest first: a table, or one JSON object each. */
export async function listAudit(flags: AuditListFlags, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const since = flags.since === undefined ? 0 : parseSince(flags.since, surroundings.clock.now())
  const entries = await withReadableState(settingsOf(terminal), surroundings, ({ audit }) =>
    read(audit, { ...flags, since }),
  )
  const lines = flags.json
    ? entries.map(({ at, ...entry }) => jsonLine({ at: isoTime(at), ...entry }))
    : renderAudit(entries, tableView(out))
  for (const line of lines) out.write(`${line}\n`)
  return 0
}

async function read(
  audit: ReadableState['audit'],
  { subject, by, since, limit }: Omit<AuditListFlags, 'since'> & { since: number },
): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  for (let before: number | undefined; found.length < limit; ) {
    const wanted = Math.min(PAGE, limit - found.length)
    const page = await audit.list({ subject, by, before, limit: wanted })
    const recent = page.filter(({ at }) => at >= since)
    found.push(...recent)
    if (page.length < wanted || recent.length < page.length) break
    before = page.at(-1)?.id
  }
  return found
}
