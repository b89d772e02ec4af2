import type { Redact } from '../../core/secrets.ts'
import type { LedgerFile, RemoteLedger, RemoteLook } from '../remote-ledger.ts'
import { numberColumn, textColumn, triggerOf } from './run-row.ts'
import { changesOf, type Row, rowsOf, type Sql, send } from './work.ts'

export function createRemoteLedger(sql: Sql, redact: Redact): RemoteLedger {
  return {
    begin: async ({ ticket, pipeline, trigger, source, path, hint, set }) =>
      (await sql.write(() => changesOf(BEGIN, [ticket, pipeline, trigger, source, path, hint, jsonOf(set)]))) > 0,
    files: async ({ pipeline, trigger }) => (await sql.read(rowsOf(FILES, [pipeline, trigger]))).map(fileOf),
    triggers: async () => (await sql.read(rowsOf(TRIGGERS))).map(triggerOf),
    async note(ticket, { sha256, key }) {
      await sql.write(() => send(NOTE, [ticket, sha256, key ?? null]))
    },
    async keep(ticket) {
      await sql.write(() => send(KEEP, [ticket]))
    },
    async remove(tickets) {
      if (tickets.length === 0) return
      await sql.write(() => send('DELETE FROM audience.remote_files WHERE ticket = ANY($1)', [tickets]))
    },
    async looked({ pipeline, trigger, source, path, at, reachedAt, waiting, sets, problem }) {
      const { code, message, hint, since } = problem ?? {}
      const its = [pipeline, trigger, source, path, at, reachedAt ?? null, waiting, jsonOf(sets)]
      const texts = [message, hint].map((text) => text && redact(text))
      await sql.write(() => send(LOOKED, [...its, code ?? null, ...texts, since ?? null]))
    },
    looks: async () => (await sql.read(rowsOf(LOOKS))).map((row) => ({ ...lookOf(row), open: Number(row.open) })),
    keepLooks: (triggers) =>
      sql.transaction(function* () {
        const wanted = new Set(triggers.map(({ pipeline, trigger }) => `${pipeline} ${trigger}`))
        for (const row of yield* rowsOf('SELECT pipeline, trigger_name FROM audience.remote_looks')) {
          const { pipeline, trigger } = triggerOf(row)
          if (!wanted.has(`${pipeline} ${trigger}`)) yield* send(FORGET_LOOK, [pipeline, trigger])
        }
      }),
  }
}

const BEGIN = `INSERT INTO audience.remote_files (ticket, pipeline, trigger_name, source, path, hint, of_set, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, 'open') ON CONFLICT DO NOTHING`
const FILES = 'SELECT * FROM audience.remote_files WHERE pipeline = $1 AND trigger_name = $2 ORDER BY ticket'
const TRIGGERS = 'SELECT DISTINCT pipeline, trigger_name FROM audience.remote_files ORDER BY pipeline, trigger_name'
const NOTE = 'UPDATE audience.remote_files SET sha256 = $2, key = $3 WHERE ticket = $1'
const KEEP = `UPDATE audience.remote_files SET state = 'kept' WHERE ticket = $1`
const FORGET_LOOK = 'DELETE FROM audience.remote_looks WHERE pipeline = $1 AND trigger_name = $2'
const LOOKS = `SELECT looks.*, (SELECT count(*) FROM audience.remote_files AS files WHERE files.state = 'open'
      AND files.pipeline = looks.pipeline AND files.trigger_name = looks.trigger_name) AS open
  FROM audience.remote_looks AS looks ORDER BY pipeline, trigger_name`
const LOOKED = `INSERT INTO audience.remote_looks
    (pipeline, trigger_name, source, path, at, reached_at, waiting, sets, problem_code, problem, problem_hint, problem_since)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  ON CONFLICT (pipeline, trigger_name) DO UPDATE SET source = excluded.source, path = excluded.path, at = excluded.at,
    reached_at = excluded.reached_at, waiting = excluded.waiting, sets = excluded.sets, problem_code = excluded.problem_code,
    problem = excluded.problem, problem_hint = excluded.problem_hint, problem_since = excluded.problem_since`

function fileOf(row: Row): LedgerFile {
  return {
    ...triggerOf(row),
    ticket: String(row.ticket),
    source: String(row.source),
    path: String(row.path),
    hint: String(row.hint),
    set: jsonIn(row.of_set) as LedgerFile['set'],
    // Only this file writes the column.
    state: String(row.state) as LedgerFile['state'],
    sha256: textColumn(row.sha256),
    key: textColumn(row.key),
  }
}

function lookOf(row: Row): RemoteLook {
  const code = textColumn(row.problem_code)
  return {
    ...triggerOf(row),
    source: String(row.source),
    path: String(row.path),
    at: Number(row.at),
    reachedAt: numberColumn(row.reached_at),
    waiting: Number(row.waiting),
    sets: jsonIn(row.sets) as RemoteLook['sets'],
    problem: code === undefined ? undefined : { code, ...problemOf(row) },
  }
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** Only this file writes these columns. */
function jsonIn(column: unknown): unknown {
  const text = textColumn(column)
  return text === undefined ? undefined : JSON.parse(text)
}

function problemOf({ problem, problem_hint: hint, problem_since: since }: Row) {
  return { message: String(problem), hint: textColumn(hint), since: Number(since) }
}
