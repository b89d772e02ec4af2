import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundle } from '../engine/bundle.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { usageOf } from './daemon-process.ts'
import { daily, writeDocuments } from './write-documents.ts'

const ROUNDS = 3
/** Gives the process time to free the memory that the start needed. */
const SETTLE_MS = 25_000
const MOST_MB = 80
const main = resolve(import.meta.dirname, '../../dist/main.js')
const libraries = await bundle(join(import.meta.dirname, 'idle-libraries.ts'))

/**
 * An idle `audience start` in a new project with its own service, compared to Node alone and to Node with the packages.
 */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  'audience start': [main, 'start', '--port', '0'],
  'its packages, loaded; one database, one HTTP server': [libraries],
  'bare Node': ['-e', 'setTimeout(() => {}, 1e9)'],
}

const found = new Map<string, number[]>()
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, args] of Object.entries(SUBJECTS)) {
    await withTempFolder(async (root) => {
      writeDocuments(root, [{ name: 'nightly', triggers: [daily('nightly', 0)] }])
      found.set(name, [...(found.get(name) ?? []), await residentMb(args, root)])
    })
  }
}
printTable(
  ['idle', 'resident memory, median', 'lowest to highest', 'wanted', ''],
  [...found].map(([name, values]) => {
    const [median, least, most] = [0.5, 0, 1].map((part) => quantile(values, part))
    const wanted = name === 'audience start' ? [`≤ ${MOST_MB} MB`, verdict((median ?? 0) <= MOST_MB)] : ['', '']
    return [name, mb(median), `${mb(least)} to ${mb(most)}`, ...wanted]
  }),
)
console.log(describeMachine())

async function residentMb(args: readonly string[], root: string): Promise<number> {
  const env = { PATH: process.env.PATH, HOME: root }
  const child: ChildProcess = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  const exited = once(child, 'exit')
  await Promise.race([sleep(SETTLE_MS), exited])
  if (child.pid === undefined || child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}`)
  const { residentMb } = usageOf(child.pid)
  child.kill('SIGTERM')
  await exited
  return residentMb
}

function mb(value: number | undefined): string {
  return `${value?.toFixed(0)} MB`
}
