import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { describeMachine } from './describe-machine.ts'
import { median, spread } from './median.ts'
import { printTable, verdict } from './print-table.ts'
import { openRecording } from './subjects/audience.ts'

const RUNS = 2000
const CONCURRENCY = 200
const ROUNDS = Number(process.argv[2] ?? 7)
const WANTED = 0.5

/** In milliseconds. `cpuMs` is the processor time of all threads of the process. */
interface Cost {
  readonly ms: number
  readonly cpuMs: number
}

type Row = Readonly<Record<string, string | number | null>>

/** What the runs stored, and the number of transactions. */
interface Written extends Cost {
  readonly runs: readonly Row[]
  readonly records: readonly Row[]
  readonly figures: readonly Row[]
  readonly documents: readonly Row[]
  readonly commits: number
}

interface Round {
  readonly ours: Written
  readonly bare: Cost
}

const root = mkdtempSync(join(tmpdir(), 'audience-bench-'))
try {
  const rounds: Round[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ours = await runEngine(join(root, `engine-${round}`))
    rounds.push({ ours, bare: writeBare(join(root, `bare-${round}`), ours) })
  }
  report(rounds.slice(1))
} finally {
  rmSync(root, { recursive: true, force: true })
}

async function runEngine(folder: string): Promise<Written> {
  const counted = countCommits()
  const engine = await openRecording(folder)
  const commitsBefore = counted.commits()
  const cost = meter()
  await engine.run(RUNS, CONCURRENCY)
  const spent = cost()
  const commits = counted.commits() - commitsBefore
  await engine.close()
  counted.restore()
  if (commits === 0) throw new Error('no commit was counted: the journal does not commit by `exec` any more')
  const db = new DatabaseSync(join(folder, 'state', 'runs.db'), { readOnly: true })
  const all = (sql: string) => db.prepare(sql).all() as Row[]
  const runs = all('SELECT * FROM runs ORDER BY submitted_at, run_id')
  const records = all('SELECT * FROM records ORDER BY at, run_id, seq')
  const figures = all('SELECT * FROM run_figures')
  const documents = all('SELECT * FROM documents')
  db.close()
  return { ...spent, runs, records, figures, documents, commits }
}

/** Writes the same rows to the same tables with as many syncs, using only SQLite. */
function writeBare(folder: string, { runs, records, figures, documents, commits }: Written): Cost {
  const db = openState(folder)
  const insertRun = insertInto(db, 'runs', runs)
  const insertRecord = insertInto(db, 'records', records)
  const insertFigure = insertInto(db, 'run_figures', figures)
  const insertDocument = insertInto(db, 'documents', documents)
  const finishRun = db.prepare(
    'UPDATE runs SET status = ?, finished_at = ?, failures = ?, updated_seq = ?, owner = NULL WHERE run_id = ?',
  )
  const owner = '0b5c2f6e-7f6d-4d0c-9a3e-1f2e3d4c5b6a'
  const begun = new Map(runs.map((run) => [run.run_id, { ...run, status: 'running', finished_at: null, owner }]))
  const ended = new Map(runs.map((run) => [run.run_id, run]))
  const figuresOf = Map.groupBy(figures, (figure) => figure.run_id)
  const lastSeq = new Map(records.map((record) => [record.run_id, record.seq]))
  const share = Math.ceil(records.length / commits)
  const cost = meter()
  for (let from = 0; from < records.length; from += share) {
    db.exec('BEGIN IMMEDIATE')
    if (from === 0) for (const document of documents) insertDocument(document)
    for (const record of records.slice(from, from + share)) {
      const { run_id: id = null, seq } = record
      const first = seq === 0 && begun.get(id)
      if (first) insertRun(first)
      insertRecord(record)
      const last = seq === lastSeq.get(id) && ended.get(id)
      if (last) {
        for (const figure of figuresOf.get(id) ?? []) insertFigure(figure)
        const { status = null, finished_at = null, failures = null, updated_seq = null } = last
        finishRun.run(status, finished_at, failures, updated_seq, id)
      }
    }
    db.exec('COMMIT')
  }
  const spent = cost()
  db.close()
  return spent
}

function insertInto(db: DatabaseSync, table: string, rows: readonly Row[]): (row: Row) => void {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return () => {}
  const statement = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  )
  return (row) => {
    statement.run(...columns.map((column) => row[column] ?? null))
  }
}

/** Every sync of the journal is a commit; nothing else shows their number from outside. */
function countCommits(): { commits(): number; restore(): void } {
  const { exec } = DatabaseSync.prototype
  let commits = 0
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
    if (sql === 'COMMIT') commits += 1
    return exec.call(this, sql)
  }
  return {
    commits: () => commits,
    restore: () => {
      DatabaseSync.prototype.exec = exec
    },
  }
}

function meter(): () => Cost {
  const begin = performance.now()
  const cpuBefore = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore)
    return { ms: performance.now() - begin, cpuMs: (user + system) / 1000 }
  }
}

function report(rounds: readonly Round[]): void {
  const ratios = rounds.map(({ ours, bare }) => bare.ms / ours.ms)
  const cpuRatios = rounds.map(({ ours, bare }) => bare.cpuMs / ours.cpuMs)
  const rate = (costs: readonly Cost[]) => median(costs.map(({ ms }) => (RUNS * 1000) / ms)).toFixed(0)
  const cpu = (costs: readonly Cost[]) => median(costs.map(({ cpuMs }) => cpuMs / RUNS)).toFixed(3)
  const ours = rounds.map((round) => round.ours)
  const bare = rounds.map((round) => round.bare)
  const shown = (values: readonly number[]) => `${median(values).toFixed(2)} (${spread(values)})`
  printTable(
    ['figure', 'engine', 'bare node:sqlite', 'ratio, median (range)', `wanted ≥ ${WANTED}`],
    [
      ['runs/s', rate(ours), rate(bare), shown(ratios), verdict(median(ratios) >= WANTED)],
      ['ms of processor a run', cpu(ours), cpu(bare), shown(cpuRatios), ''],
    ],
  )
  console.log(
    `${RUNS} runs of 4 recorded steps, ${CONCURRENCY} at a time, ${rounds.length} rounds in turn; of each round ${ours[0]?.records.length} records and ${ours[0]?.runs.length} runs in ${median(ours.map(({ commits }) => commits))} commits, the same for both.`,
  )
  console.log(describeMachine())
}
