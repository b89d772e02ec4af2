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

// The program of the process that DuckDB runs in for one list. `start-sandbox.ts` starts it with its limits.

/**
 * DuckDB needs memory beside what it counts: for results of functions, and what its allocator holds back. With a half,
 * some lists of five million rows took more than they may.
 */
const COUNTED_SHARE = 0.4
/** A process that keeps a larger share of its memory from earlier lists could have too little for the next. */
const KEPT_SHARE = 0.25
/** Answers are figures and the names of columns. They go into the memory of the parent, so more than that is refused. */
const MOST_ROWS = 100_000
const MOST_CHARACTERS = 4_000_000
/** The bytes of the programs, which count as memory but do not belong to a query. */
const PROGRAM_BYTES = 128e6
const WATCH_MS = 20
/** DuckDB's number of this kind of statement. */
const SELECT = 1

let opened: { readonly instance: DuckDBInstance; readonly connection: DuckDBConnection } | undefined
let memoryBytes = 0
/** The memory of the programs that every list needs; known once DuckDB is open. */
let dataOfPrograms = 0

// The parent has ended in some way. The work of DuckDB has no purpose now, and only SIGKILL does not wait for it.
process.on('disconnect', end)
// A service or a terminal sends these signals to all its processes; the parent decides when this one ends.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

process.on('message', ({ id, ...question }: SandboxQuestion & { readonly id: number }) => {
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

/** Whether earlier lists leave enough memory for the next one: at least all that DuckDB counts, also with little memory. */
function hasRoom(): boolean {
  const data = dataBytes()
  const kept = Math.max(process.memoryUsage.rss() - PROGRAM_BYTES, data - dataOfPrograms)
  return kept < memoryBytes * KEPT_SHARE && mostDataBytes() - data > memoryBytes * COUNTED_SHARE
}

/** The addresses that count for the limit of the system. Allocators keep them for later, also without memory behind them. */
function dataBytes(): number {
  return (figureOf('status', /^VmData:\s*(\d+) kB/m) ?? 0) * 1024
}

/** The most of them that the system allows. */
function mostDataBytes(): number {
  return figureOf('limits', /^Max data size\s+(\d+)/m) ?? Number.POSITIVE_INFINITY
}

/** What the system says about this process; undefined if it does not: only Linux reports and limits addresses. */
function figureOf(file: 'status' | 'limits', figure: RegExp): number | undefined {
  try {
    const text = figure.exec(readFileSync(`/proc/self/${file}`, 'latin1'))?.[1]
    return text === undefined ? undefined : Number(text)
  } catch {
    return undefined
  }
}

/** Ends this process when it has too much memory: not every system does that by itself. */
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

/** No rows if a table does not exist. */
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

/** Without any text of DuckDB, which stays in this process. */
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
