import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { describeMachine } from '../engine/describe-machine.ts'
import { exactly, printTable } from '../engine/print-table.ts'
import { audienceTest } from './command.ts'

/**
 * Whether tests give the same bytes each time, with one file at a time or with four at once. Their digests cover each
 * exchange, with its content and time, and each record.
 */

const REPETITIONS = Number(process.argv[2] ?? 20)
const root = resolve(import.meta.dirname, '../..')
const found = new Map<string, number>()
for (let at = 0; at < REPETITIONS; at++) {
  const { out } = await audienceTest(['pipelines', '--json', '--jobs', at % 2 === 0 ? '4' : '1'], root)
  const digest = createHash('sha256').update(out).digest('hex').slice(0, 16)
  found.set(digest, (found.get(digest) ?? 0) + 1)
}
printTable(
  ['what', 'measured', 'wanted', ''],
  [exactly(`different results of ${REPETITIONS} repetitions of all example tests`, found.size, 1)],
)
console.log(describeMachine())
