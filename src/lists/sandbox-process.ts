import { readFileSync } from 'node:fs'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { KEY_FUNCTIONS } from '../contract/normalise-key.ts'
import { AudienceError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { literal } from '../platform/sql-text.ts'
import { sqlTextFunctions } from '../platform/text-functions.ts'
import { largeAnswer, notOneSelect } from './list-errors.ts'
import { READING_FUNCTIONS } from './other-readings.ts'
import { sandboxError } from './sandbox-error.ts'
import type { SandboxPlace, SandboxQuestion, SandboxReply } from './sandbox-messages.ts'

// The program of the process in which DuckDB runs for one list. `start-sandbox.ts` starts it with its limits.

/**
 * DuckDB needs memory that it does not count: for results of functions, and for what its allocator holds back. With a
 * share of one half, some lists of five million rows exceeded the limit.
 */
const COUNTED_SHARE = 0.4
/** If a process keeps a larger share of its memory from earlier lists, the next list could have too little. */
const KEPT_SHARE = 0.25
/** Answers are figures and column names. They go into the memory of the parent, so larger answers are refused. */
const MOST_ROWS = 100_000
const MOST_CHARACTERS = 4_000_000
/** The size of the programs. It counts as memory but does not belong to a query. */
const PROGRAM_BYTES = 128e6
const WATCH_MS = 20
/** DuckDB's number for this kind of statement. */
const SELECT = 1

let opened: { readonly instance: DuckDBInstance; readonly connection: DuckDBConnection } | undefined
let memoryBytes = 0
/** The memory of the programs, which every list needs. Known once DuckDB is open. */
let dataOfPrograms = 0

// The parent has ended, for whatever reason. DuckDB's work is now useless, and only SIGKILL does not wait for it.
process.on('disconnect', end)
// A service or a terminal sends these signals to all its processes; the parent decides when this one ends.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.on('message', ({ id, ...question }: SandboxQuestion & { id: number }) => {
  void answer(question).then(
    (value) => reply({ id, value }),
    (error: unknown) => reply({ id, error: detailsOf(error, question) }),
  )
})

async function answer(question: SandboxQuestion): Promise<unknown> {
  if (question.ask === 'open') {
    opened = await open(question.place)
    return undefined
  }
  if (!opened) throw new Error('the sandbox is not open')
  const { instance, connection } = opened
  switch (question.ask) {
    case 'run':
      await connection.run(question.sql)
      return undefined
    case 'rows':
      return rowsOf(connection, question.sql)
    case 'rowsIfAny':
      return rowsOf(connection, question.sql).catch(noneIfMissing)
    case 'columnsOf':
      return columnsOf(connection, question.query)
    case 'close':
      opened = undefined
      connection.closeSync()
      instance.closeSync()
      return hasRoom()
  }
}

async function open({ files, tempDir, diskBytes, threads, ...place }: SandboxPlace) {
  if (memoryBytes === 0) setInterval(watchMemory, WATCH_MS)
  memoryBytes = place.memoryBytes
  const { DuckDBInstance, DuckDBScalarFunction, VARCHAR } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(memoryBytes * COUNTED_SHARE)}B`,
    threads: String(threads),
    temp_directory: tempDir,
    max_temp_directory_size: `${diskBytes}B`,
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  dataOfPrograms ||= dataBytes()
  for (const one of sqlTextFunctions({ ...KEY_FUNCTIONS, ...READING_FUNCTIONS }))
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({ ...one, parameterTypes: [VARCHAR], returnType: VARCHAR }),
    )
  await connection.run(`SET TimeZone = 'UTC'; SET allowed_paths = [${files.map(literal).join(', ')}];
    SET enable_external_access = false; SET lock_configuration = true`)
  return { instance, connection }
}

/** Whether earlier lists leave enough memory for the next list: at least as much as DuckDB counts. */
function hasRoom(): boolean {
  const data = dataBytes()
  const kept = Math.max(process.memoryUsage.rss() - PROGRAM_BYTES, data - dataOfPrograms)
  return kept < memoryBytes * KEPT_SHARE && mostDataBytes() - data > memoryBytes * COUNTED_SHARE
}

/**
 * The size of the address space that counts towards the system's limit. Allocators keep addresses for later, even if
 * there is no memory behind them.
 */
function dataBytes(): number {
  return (figureOf('status', /^VmData:\s*(\d+) kB/m) ?? 0) * 1024
}

/** The system's limit for this size; infinite if there is none. */
function mostDataBytes(): number {
  return figureOf('limits', /^Max data size\s+(\d+)/m) ?? Number.POSITIVE_INFINITY
}

/**
 * A figure that the system reports about this process; undefined if there is none: only Linux reports and limits
 * addresses.
 */
function figureOf(file: 'status' | 'limits', figure: RegExp): number | undefined {
  try {
    const text = figure.exec(readFileSync(`/proc/self/${file}`, 'latin1'))?.[1]
    return text === undefined ? undefined : Number(text)
  } catch {
    return undefined
  }
}

/** Ends this process when it uses too much memory, because not every system does that. */
function watchMemory(): void {
  if (process.memoryUsage.rss() <= memoryBytes + PROGRAM_BYTES) return
  reply({ over: 'memory' })
  end()
}

async function rowsOf(from: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  const reader = await from.runAndReadUntil(sql, MOST_ROWS + 1)
  if (reader.currentRowCount > MOST_ROWS) throw largeAnswer()
  const rows = reader.getRowObjects()
  let characters = 0
  for (const row of rows)
    for (const value of Object.values(row)) if (typeof value === 'string') characters += value.length
  if (characters > MOST_CHARACTERS) throw largeAnswer()
  return rows
}

/** Returns no rows if a table does not exist. */
function noneIfMissing(error: unknown): [] {
  if (/^Catalog Error: Table with name \S+ does not exist/.test(messageOf(error))) return []
  throw error
}

async function columnsOf(from: DuckDBConnection, query: string): Promise<number> {
  const statements = await from.extractStatements(query)
  if (statements.count !== 1) throw notOneSelect()
  const statement = await statements.prepare(0)
  try {
    if (statement.statementType !== SELECT) throw notOneSelect()
    return statement.columnCount
  } finally {
    statement.destroySync()
  }
}

/** The details of an error, without any text from DuckDB, which stays in this process. */
function detailsOf(error: unknown, question: SandboxQuestion) {
  const query = question.ask === 'run' || question.ask === 'columnsOf' ? question.query : undefined
  const {
    code,
    kind,
    message,
    hint = '',
  } = error instanceof AudienceError ? error : sandboxError(error, { query, memoryBytes })
  return { code, kind, message, hint }
}

function reply(message: SandboxReply): void {
  process.send?.(message)
}

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}
