import { openHistory } from '../app/open-history.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import type { Journal, RunRow } from '../state/journal.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

/** Opens the history while some work is done. */
export async function withHistory<T>(terminal: Terminal, work: (journal: Journal) => T | Promise<T>): Promise<T> {
  const journal = openHistory(settingsOf(terminal))
  try {
    return await work(journal)
  } finally {
    journal.close()
  }
}

/** A run's row. Throws an AudienceError of the kind `usage` if there is none. */
export function findRun(journal: Pick<Journal, 'find'>, runId: string): RunRow {
  const row = journal.find(runId)
  if (row) return row
  throw unknownRun(runId)
}
