import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Loaded into a command by `--import`: writes the duration of each of its transactions, in milliseconds, to a file. */

const file = process.env.TRANSACTIONS_FILE
const { exec } = DatabaseSync.prototype
const tookMs: number[] = []
const commitMs: number[] = []
let begun = 0
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string) {
  const before = performance.now()
  exec.call(this, sql)
  if (sql === 'BEGIN IMMEDIATE') begun = performance.now()
  if (sql !== 'COMMIT') return
  tookMs.push(performance.now() - begun)
  commitMs.push(performance.now() - before)
}
process.on('exit', () => {
  if (file !== undefined) writeFileSync(file, JSON.stringify({ tookMs, commitMs }))
})
