import type { Session } from '../population/database.ts'
import { literal, parquet } from '../population/sql.ts'
import { writeAside } from '../population/write-aside.ts'

/** Writes a segment, match or split as CSV with a header, in a fixed order. */
export async function exportSet(session: Session, request: { file: string; target: string }): Promise<void> {
  await writeAside(request.target, (aside) =>
    session.run(`COPY (SELECT * FROM ${parquet(request.file)} ORDER BY ALL) TO ${literal(aside)} (FORMAT csv, HEADER)`),
  )
}
