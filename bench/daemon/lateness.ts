import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeMachine } from '../engine/describe-machine.ts'
import { quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { startDaemonProcess } from './daemon-process.ts'
import { startNotingService } from './noting-service.ts'
import { everyMinute, writeDocuments } from './write-documents.ts'

const SCHEDULES = Number(process.argv[2] ?? 500)
const SLOTS = Number(process.argv[3] ?? 3)
const MINUTE_MS = 60_000
/** The time before the first slot, for the start, and the time after the last slot, for its runs. */
const AROUND_MS = 20_000

const names = Array.from({ length: SCHEDULES }, (_, n) => `nightly-${n}`)

await withTempFolder(async (root) => {
  writeDocuments(
    root,
    names.map((name) => ({ name, triggers: [everyMinute(name)] })),
  )
  commit(root)
  const firstSlot = Math.ceil((Date.now() + AROUND_MS) / MINUTE_MS) * MINUTE_MS
  // If the daemon started immediately, there could be a slot before the first one.
  await sleep(firstSlot - AROUND_MS - Date.now())
  const service = await startNotingService()
  /** When the log reported the run of each slot. By then, the run was on disk. */
  const started = new Map<string, number>()
  const daemon = await startDaemonProcess({
    root,
    serviceUrl: service.url,
    onLog(line) {
      const { state, pipeline, key, time } = JSON.parse(line) as Record<string, string>
      if (state === 'ran') started.set(`${pipeline}/${key}`, Date.parse(time ?? ''))
    },
  })
  const lastSlot = firstSlot + (SLOTS - 1) * MINUTE_MS
  await sleep(lastSlot + AROUND_MS - Date.now())
  const { cpuMs, peakMb } = daemon.usage()
  await daemon.stop()
  service.close()

  const rows: string[][] = []
  const keys: string[] = []
  for (let slot = firstSlot; slot <= lastSlot; slot += MINUTE_MS) {
    const key = new Date(slot).toISOString()
    const ofSlot = names.map((name) => `${name}/${key}`)
    keys.push(...ofSlot)
    rows.push([key.slice(11, 16), ...latenesses(ofSlot.map((each) => (started.get(each) ?? Number.NaN) - slot))])
    rows.at(-1)?.push(...latenesses(ofSlot.map((each) => (service.arrivals.get(each)?.[0] ?? Number.NaN) - slot)))
  }
  printTable(['slot', 'run recorded, p50', 'p99', 'last', 'its first request, p50', 'p99', 'last'], rows)
  const accounted = countAccounted(join(root, '.audience', 'runs.db'))
  const once = keys.filter((key) => service.arrivals.get(key)?.length === 1).length
  const none = service.arrivals.size === keys.length
  console.log()
  printTable(
    ['figure', 'measured', 'wanted', ''],
    [
      ['slots that ran, each with a run of its own', accounted.ran, keys.length],
      ['runs, all succeeded', accounted.succeeded, keys.length],
      ['slots in any other state', accounted.others, 0],
      ['slots whose request came exactly once', none ? once : Number.NaN, keys.length],
    ].map(([figure, measured, wanted]) => [
      String(figure),
      String(measured),
      String(wanted),
      verdict(measured === wanted),
    ]),
  )
  console.log(
    `${SCHEDULES} schedules of every minute in ${SCHEDULES} documents under git, runs of one request, 100 runs at a time; ${(cpuMs / 1000).toFixed(1)} s of processor with the start, peak ${peakMb.toFixed(0)} MB.`,
  )
  console.log(describeMachine())
  if (started.size !== keys.length) throw new Error(`the log names ${started.size} runs of ${keys.length} slots`)
})

function latenesses(values: readonly number[]): string[] {
  return [0.5, 0.99, 1].map((part) => `${quantile(values, part).toFixed(0)} ms`)
}

/** As usual for pipelines: each run records the commit of its document. */
function commit(root: string): void {
  const author = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', '-c', 'commit.gpgsign=false']
  for (const args of [
    ['init', '-q'],
    ['add', 'pipelines'],
    [...author, 'commit', '-q', '-m', 'Pipelines'],
  ])
    execFileSync('git', args, { cwd: root })
}

function countAccounted(file: string): { ran: number; succeeded: number; others: number } {
  const db = new DatabaseSync(file, { readOnly: true })
  const count = (sql: string) => Number(db.prepare(sql).get()?.n)
  const counts = {
    ran: count(
      `SELECT COUNT(DISTINCT run_id) AS n FROM occurrences JOIN runs USING (run_id) WHERE occurrences.state = 'ran'`,
    ),
    succeeded: count(`SELECT COUNT(*) AS n FROM runs WHERE status = 'succeeded'`),
    others: count(`SELECT COUNT(*) AS n FROM occurrences WHERE state <> 'ran'`),
  }
  db.close()
  return counts
}
