import { literal } from '../../platform/sql-text.ts'
import type { Session } from '../population/database.ts'
import { parquet } from '../population/sql.ts'
import { writeAside } from '../population/write-aside.ts'

export interface ExportRequest {
  readonly file: string
  /** Exports only this part of a split; everybody if not given. */
  readonly part?: SplitPart
  readonly target: string
}

type SplitPart = 'test' | 'control' | 'shaved'

/** Writes a segment, match or split as CSV with a header, in a fixed order. */
export async function exportSet(session: Session, { file, part, target }: ExportRequest): Promise<void> {
  const rows = part === undefined ? `SELECT * FROM ${parquet(file)}` : partOf(file, part)
  await writeAside(target, (aside) =>
    session.run(`COPY (${rows} ORDER BY ALL) TO ${literal(aside)} (FORMAT csv, HEADER, USE_TMP_FILE false)`),
  )
}

function partOf(splitFile: string, part: SplitPart): string {
  return `SELECT bgid FROM ${parquet(splitFile)} WHERE part = ${literal(part)}`
}
