import { literal } from '../../platform/sql-text.ts'
import type { PeopleSession } from '../population/database.ts'
import { hexThreshold, parquet } from '../population/sql.ts'
import { writeAside } from '../population/write-aside.ts'

export interface SplitRequest {
  readonly matchFile: string
  /** Decimal string. */
  readonly matchId: string
  /** Integers from 0 to 100. */
  readonly shaveOffPercent: number
  readonly controlHoldoutPercent: number
  readonly target: string
}

/**
 * A split is a file of (bgid, part), where part is test, control or shaved. For a match and a purpose everybody has a
 * fixed place between 0 and 1: the first 64 bits of SHA-256("matchId:purpose:BGID"). The place is the same after a
 * refresh, and a higher percentage only adds people (decision 78).
 */
export async function split(
  session: PeopleSession,
  request: SplitRequest,
): Promise<{ test: number; control: number; shaved: number }> {
  const below = (purpose: string, percent: number) =>
    `substr(sha256(concat(${literal(`${request.matchId}:${purpose}:`)}, bgid)), 1, 16) < '${hexThreshold(percent / 100, 16)}'`
  const part = `CASE WHEN ${below('shave', request.shaveOffPercent)} THEN 'shaved'
    WHEN ${below('control', request.controlHoldoutPercent)} THEN 'control' ELSE 'test' END`
  await writeAside(request.target, (aside) =>
    session.run(
      `COPY (SELECT bgid, ${part} AS part FROM ${parquet(request.matchFile)}) TO ${literal(aside)} (FORMAT parquet, USE_TMP_FILE false)`,
    ),
  )
  const rows = await session.rows(`SELECT part, count(*) AS people FROM ${parquet(request.target)} GROUP BY part`)
  const people = (name: string) => Number(rows.find((row) => row.part === name)?.people ?? 0)
  return { test: people('test'), control: people('control'), shaved: people('shaved') }
}
