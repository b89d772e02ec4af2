import { isHashable, type ResultContent, type Signal } from '../../contract/enumerations.ts'
import { hashSql, isHash, normaliseSql, trimmedSql } from '../../contract/normalise-sql.ts'
import { literal, oneFile } from '../../platform/sql-text.ts'
import { type Network, participantOf } from '../network/network.ts'
import type { PeopleSession } from '../population/database.ts'
import type { Population } from '../population/population.ts'
import { parquet } from '../population/sql.ts'
import { writeRelation } from '../population/write-aside.ts'
import { csvLinesRelation, firstFieldSql, leadingLines, SegmentFileError, secondFieldSql } from './segment-file.ts'

export interface BuildSegmentRequest {
  /** A UTF-8 CSV file with the key in column 1 and, if `dated`, a timestamp in column 2 (decision 113). */
  readonly csvFile: string
  readonly signal: Signal
  readonly resultContent: ResultContent
  /**
   * Whether IPs are looked up at the time in the file instead of at `at`. The value comes from uploadDateWithSignals.
   */
  readonly dated: boolean
  readonly at: Date
  /** The provider whose identity graph resolves the keys. Not used for the signal BGID or for HASHED (decision 39). */
  readonly providerId?: number | null | undefined
  readonly target: string
}

export interface SegmentFigures {
  /** The number of non-blank lines without the header. */
  readonly rows: number
  /** The number of lines without a usable key (or, if dated, without a usable time). */
  readonly badRows: number
  /** The number of distinct normalised keys. */
  readonly keys: number
  /** The number of distinct BGIDs or, for a HASHED segment, distinct hashes. */
  readonly members: number
}

/**
 * Builds a segment, which is a file with the column bgid. For HASHED content, the column is hash. For HASHED content of
 * the signal IP, the columns are hash and day, because the owner of an address depends on the day. The file is read
 * once, into one row per distinct key.
 */
export async function buildSegment(
  session: PeopleSession,
  population: Population,
  network: Network,
  request: BuildSegmentRequest,
): Promise<SegmentFigures> {
  const skip = await leadingLines(request.csvFile, request.signal)
  await session.run(`CREATE TEMP TABLE found AS ${distinctKeys(request, skip)}`)
  const figures = await figuresOf(session, request)
  const content =
    request.resultContent === 'HASHED' ? hashes(request) : await people(population, network, request, figures)
  const written = await writeRelation(session, content, request)
  const { rows, badRows, keys } = figures
  return {
    rows,
    badRows,
    keys,
    members: isDatedHash(request) ? await distinctHashes(session, request.target) : written,
  }
}

function distinctKeys({ csvFile, signal, dated, at }: BuildSegmentRequest, skip: number): string {
  const lines = csvLinesRelation(literal(oneFile(csvFile)), skip)
  const fields = (day: string) =>
    `(SELECT ${firstFieldSql('line')} AS field${day} FROM ${lines} WHERE ${isNotBlank('line')})`
  if (signal !== 'IP') {
    return `SELECT key, count(*) AS lines FROM (${normaliseSql(signal, fields(''))}) GROUP BY key`
  }
  const day = dated ? utcDaySql(secondFieldSql('line')) : `DATE '${at.toISOString().slice(0, 10)}'`
  const keyed = normaliseSql(signal, fields(`, ${day} AS day`))
  return `SELECT key, day, count(*) AS lines
    FROM (SELECT CASE WHEN day IS NOT NULL THEN key END AS key, CASE WHEN key IS NOT NULL THEN day END AS day FROM (${keyed}))
    GROUP BY key, day`
}

/** Trims only lines that do not begin with visible ASCII: trimming all would take longer than reading the file. */
function isNotBlank(line: string): string {
  return `CASE WHEN unicode(${line}) BETWEEN 33 AND 126 THEN true ELSE ${trimmedSql(line)} <> '' END`
}

interface FileFigures {
  readonly rows: number
  readonly badRows: number
  readonly keys: number
  readonly hasHashes: boolean
}

async function figuresOf(session: PeopleSession, { signal }: BuildSegmentRequest): Promise<FileFigures> {
  const hashed = isHashable(signal) ? isHash('key') : 'false'
  const [found] = await session.rows(`SELECT coalesce(sum(lines), 0)::BIGINT AS lines,
    coalesce(sum(lines) FILTER (key IS NULL), 0)::BIGINT AS bad,
    count(${signal === 'IP' ? 'DISTINCT ' : ''}key) AS keys, coalesce(bool_or(${hashed}), false) AS hashed FROM found`)
  const [left] = await session.rows(`SELECT count(DISTINCT byte_position) AS lines,
    coalesce(bool_or(error_type = 'INVALID ENCODING'), false) AS encoding FROM reject_errors`)
  const unread = Number(left?.lines)
  const rows = Number(found?.lines) + unread
  const keys = Number(found?.keys)
  if (rows === 0) throw new SegmentFileError('empty', 'the file has no line of data')
  if (keys === 0 && left?.encoding === true) throw new SegmentFileError('not-utf8', 'the file is not UTF-8')
  if (keys === 0) throw new SegmentFileError('no-usable-key', `none of the file's ${rows} lines has a usable ${signal}`)
  return { rows, badRows: Number(found?.bad) + unread, keys, hasHashes: found?.hashed === true }
}

function hashes(request: BuildSegmentRequest): string {
  const hash = isHashable(request.signal) ? hashSql('key') : 'sha256(key)'
  return `SELECT DISTINCT ${hash} AS hash${isDatedHash(request) ? ', day' : ''} FROM found WHERE key IS NOT NULL`
}

async function people(
  population: Population,
  network: Network,
  { signal, providerId }: BuildSegmentRequest,
  { hasHashes }: FileFigures,
): Promise<string> {
  if (signal === 'BGID') return 'SELECT key AS bgid FROM found WHERE key IS NOT NULL'
  const provider = participantOf(network, providerId)
  const valid = signal === 'IP' ? ' AND day >= from_day AND day < to_day' : ''
  const clear = parquet(await population.graph(provider, signal, 'key'))
  const looked = [`SELECT bgid FROM ${clear} AS graph JOIN found ON found.key = graph.key${valid}`]
  if (hasHashes) {
    const hashed = parquet(await population.graph(provider, signal, 'hash'))
    looked.push(`SELECT bgid FROM ${hashed} AS graph JOIN found ON found.key = graph.hash${valid}`)
  }
  return `SELECT DISTINCT bgid FROM (${looked.join(' UNION ALL ')})`
}

function isDatedHash({ signal, resultContent }: BuildSegmentRequest): boolean {
  return signal === 'IP' && resultContent === 'HASHED'
}

async function distinctHashes(session: PeopleSession, file: string): Promise<number> {
  const [row] = await session.rows(`SELECT count(DISTINCT hash) AS hashes FROM ${parquet(file)}`)
  return Number(row?.hashes)
}

/** A date, or a date and time as in RFC 3339. A space may replace the `T`, and a missing offset means UTC. */
const TIMESTAMP =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?'

/** SQL for the UTC day of a timestamp; NULL for other text. The time zone of the session must be UTC. */
export function utcDaySql(field: string): string {
  const text = `upper(${trimmedSql(field)})`
  // Fractions of a second are removed: they do not change the day, and DuckDB accepts only a limited number of digits.
  const moment = `try_cast(regexp_replace(${text}, '[.][0-9]+', '') AS TIMESTAMPTZ)`
  return `CASE WHEN regexp_full_match(${text}, '${TIMESTAMP}') THEN (${moment})::DATE END`
}
