import { join } from 'node:path'
import { literal } from '../../platform/sql-text.ts'
import type { Split } from '../jobs/job.ts'
import type { Network } from '../network/network.ts'
import { openPeopleDatabase, type PeopleDatabase, type PeopleSession } from '../population/database.ts'
import { createPopulation } from '../population/population.ts'
import { type SampleRequest, writeSampleFile } from '../population/sample.ts'
import { hexThreshold, parquet } from '../population/sql.ts'
import { writeRelation } from '../population/write-aside.ts'
import { type BuildSegmentRequest, buildSegment, type SegmentFigures } from './build-segment.ts'
import { type MatchTask, matchPeople } from './match.ts'

/**
 * Does the service's work on sets. The result of every request depends only on its input files and the population, so a
 * request can be repeated after a crash. The engine writes each target to a temporary file and renames it, so it never
 * leaves half a file.
 */
export interface MatchEngine {
  /** Removes the files of other populations from the data directory. Call it before anything else. */
  prepare(): Promise<void>
  /** Writes a CSV of the population. */
  sample(request: SampleRequest): Promise<void>
  /** Makes a segment from an uploaded file. Throws SegmentFileError if the file is not suitable. */
  buildSegment(request: BuildSegmentRequest): Promise<SegmentFigures>
  /**
   * Finds the people of a segment who are in the universe of at least one of the participants, with at least one of the
   * scopes.
   */
  match(request: MatchTask): Promise<{ matchCount: number }>
  /** Divides a match into a test group, a control group, and people who are cut (`shaved`, decision 78). */
  split(request: SplitRequest): Promise<void>
  /** Writes a segment, match, split or part of a split as sorted CSV with a header. */
  exportSet(request: ExportRequest): Promise<void>
  /** Interrupts what is running and releases the database. */
  close(): Promise<void>
}

export interface MatchEngineOptions {
  /** The service's data directory. */
  dataDir: string
  /** The folder of the population, which engines of one network can share; default: `population/` in `dataDir`. */
  peopleDir?: string
  network: Network
  /** The number of threads of the database; default: one for each processor. */
  threads?: number
  /** The maximum memory, in DuckDB's notation; default `1GB`. Data beyond that goes to disk. */
  memoryLimit?: string
}

export function createMatchEngine(options: MatchEngineOptions): MatchEngine {
  const { dataDir, peopleDir = join(dataDir, 'population'), network, threads, memoryLimit = '1GB' } = options
  let opened: Promise<PeopleDatabase> | undefined
  const database = () => {
    opened ??= openPeopleDatabase({ tempDir: join(dataDir, 'tmp', 'duckdb'), threads, memoryLimit })
    return opened
  }
  const population = createPopulation(peopleDir, network, database)
  const session = async <T>(work: (session: PeopleSession) => Promise<T>) => (await database()).session(work)
  return {
    prepare: () => population.prepare(),
    sample: (request) => session((on) => writeSampleFile(on, network, request)),
    buildSegment: (request) => session((on) => buildSegment(on, population, network, request)),
    match: (request) => session((on) => matchPeople(on, population, network, request)),
    split: (request) => session((on) => split(on, request)),
    exportSet: (request) => session((on) => exportSet(on, request)),
    close: async () => (await opened)?.close(),
  }
}

interface ExportRequest {
  readonly file: string
  /** Exports only this part of a split; default: everybody. */
  readonly part?: SplitPart
  readonly target: string
}

type SplitPart = 'test' | 'control' | 'shaved'

/** Writes a segment, match or split as CSV with a header, in a fixed order. */
async function exportSet(session: PeopleSession, { file, part, target }: ExportRequest): Promise<void> {
  const rows = part === undefined ? `SELECT * FROM ${parquet(file)}` : partOf(file, part)
  await writeRelation(session, `${rows} ORDER BY ALL`, { target, format: 'csv, HEADER' })
}

function partOf(splitFile: string, part: SplitPart): string {
  return `SELECT bgid FROM ${parquet(splitFile)} WHERE part = ${literal(part)}`
}

interface SplitRequest extends Split {
  readonly matchFile: string
  /** A decimal string. */
  readonly matchId: string
  readonly target: string
}

/**
 * Makes a split: a file with the columns bgid and part, where part is test, control or shaved. For each match and
 * purpose, every person has a fixed position between 0 and 1: the first 64 bits of SHA-256("matchId:purpose:BGID"). The
 * position stays the same after a refresh, and a higher percentage only adds people (decision 78).
 */
async function split(session: PeopleSession, request: SplitRequest): Promise<void> {
  const below = (purpose: string, percent: number) =>
    `substr(sha256(concat(${literal(`${request.matchId}:${purpose}:`)}, bgid)), 1, 16) < '${hexThreshold(percent / 100, 16)}'`
  const part = `CASE WHEN ${below('shave', request.shaveOffPercent)} THEN 'shaved'
    WHEN ${below('control', request.controlHoldoutPercent)} THEN 'control' ELSE 'test' END`
  await writeRelation(session, `SELECT bgid, ${part} AS part FROM ${parquet(request.matchFile)}`, request)
}
