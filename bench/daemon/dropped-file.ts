import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeMachine } from '../engine/describe-machine.ts'
import { quantile } from '../engine/median.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts'
import { type NotingService, startNotingService } from './noting-service.ts'
import { watched, writeDocuments } from './write-documents.ts'

const FLOOD = Number(process.argv[2] ?? 10_000)
const DROPS = Number(process.argv[3] ?? 120)
const SETTLE_MS = 1000
/**
 * The settle time must not be a multiple of this. Otherwise, a file would settle at the moment when the next file
 * arrives and wakes the daemon.
 */
const APART_MS = 310
/** By then, the folders are being watched. */
const START_MS = 12_000
const DROPS_WITHIN_MS = 10_000
const FLOOD_WITHIN_MS = 600_000

const rows: string[][] = []
await withTempFolder(async (root) => {
  writeDocuments(root, [
    { name: 'settled', triggers: [watched('settled', `${SETTLE_MS}ms`)], takesFiles: true },
    { name: 'marked', triggers: [watched('marked', '1h')], takesFiles: true },
  ])
  await withDaemon(root, async (_daemon, service) => {
    const settled = await drop(join(root, 'inbox', 'settled'), 'settled', service)
    const marked = await drop(join(root, 'inbox', 'marked'), 'marked', service)
    rows.push(...timesOf(`dropped file to first request, beside the ${SETTLE_MS} ms of settle`, settled, SETTLE_MS))
    rows.push(...timesOf('.done marker to first request', marked, 0))
  })
})
await withTempFolder(async (root) => {
  writeDocuments(root, [{ name: 'flood', triggers: [watched('flood', `${SETTLE_MS}ms`)], takesFiles: true }])
  await withDaemon(root, async (daemon, service) => {
    const found = await flood(join(root, 'inbox', 'flood'), daemon, service)
    const state = join(root, '.audience', 'runs.db')
    const counts = {
      ran: count(state, `SELECT COUNT(DISTINCT run_id) AS n FROM occurrences WHERE state = 'ran' AND open = 0`),
      all: count(state, 'SELECT COUNT(*) AS n FROM occurrences'),
    }
    const once = [...service.arrivals.values()].filter((times) => times.length === 1).length
    const exact = counts.ran === FLOOD && counts.all === FLOOD && once === FLOOD
    rows.push(
      [`${FLOOD} files at once: renamed into the folder within`, `${(found.droppedMs / 1000).toFixed(2)} s`, ''],
      ['… the last had its first request after', `${(found.requestedMs / 1000).toFixed(1)} s`, ''],
      ['… the last was in done/ after', `${(found.filedMs / 1000).toFixed(1)} s`, ''],
      [
        '… with one run, one upload, one entry in the occurrence store',
        `${Math.min(counts.ran, once)} files`,
        verdict(exact),
      ],
      ['… processor a file', `${(found.cpuMs / FLOOD).toFixed(2)} ms`, ''],
      ['… resident memory, before', `${found.beforeMb.toFixed(0)} MB`, ''],
      ['… its peak', `${found.peakMb.toFixed(0)} MB`, ''],
    )
  })
})
printTable(['figure', 'measured', ''], rows)
console.log(`${DROPS} files each, ${APART_MS} ms apart; each is uploaded, to a service that answers at once.`)
console.log(describeMachine())

async function withDaemon(root: string, work: (daemon: DaemonProcess, service: NotingService) => Promise<void>) {
  const service = await startNotingService()
  const daemon = await startDaemonProcess({ root, serviceUrl: service.url })
  try {
    await sleep(START_MS)
    await work(daemon, service)
  } finally {
    await daemon.stop()
    service.close()
  }
}

/** Drops complete files one after the other; returns the milliseconds until each was uploaded. */
async function drop(folder: string, kind: 'settled' | 'marked', { arrivals }: NotingService): Promise<number[]> {
  const staging = stagingFor(folder)
  const droppedAt = new Map<string, number>()
  for (let number = 0; number < DROPS; number++) {
    const name = `${kind}-${number}.csv`
    writeFileSync(join(staging, name), contentOf(name))
    // An upload is known to be in progress only when something reports it.
    if (kind === 'settled') droppedAt.set(name, now())
    renameSync(join(staging, name), join(folder, name))
    await sleep(APART_MS)
    if (kind === 'settled') continue
    droppedAt.set(name, now())
    writeFileSync(join(folder, `${name}.done`), '')
    await sleep(APART_MS)
  }
  await until(() => [...droppedAt.keys()].every((name) => arrivals.has(name)), DROPS_WITHIN_MS)
  return [...droppedAt].map(([name, at]) => (arrivals.get(name)?.[0] ?? Number.NaN) - at)
}

async function flood(folder: string, daemon: DaemonProcess, { arrivals }: NotingService) {
  const staging = stagingFor(folder)
  const names = Array.from({ length: FLOOD }, (_, number) => `flood-${number}.csv`)
  for (const name of names) writeFileSync(join(staging, name), contentOf(name))
  await sleep(START_MS)
  const before = daemon.usage()
  const begin = now()
  for (const name of names) renameSync(join(staging, name), join(folder, name))
  const droppedMs = now() - begin
  const done = join(folder, 'done')
  await until(() => arrivals.size === FLOOD && existsSync(done) && readdirSync(done).length === FLOOD, FLOOD_WITHIN_MS)
  const filedMs = now() - begin
  const requestedMs = Math.max(...[...arrivals.values()].map(([at]) => (at ?? Number.NaN) - begin))
  // The last file is moved before its record is written.
  await sleep(1000)
  const after = daemon.usage()
  const cpuMs = after.cpuMs - before.cpuMs
  return { droppedMs, requestedMs, filedMs, cpuMs, beforeMb: before.residentMb, peakMb: after.peakMb }
}

/** On the same file system, so that a file appears completely or not at all. */
function stagingFor(folder: string): string {
  const staging = join(folder, '..', '..', 'staging')
  mkdirSync(staging, { recursive: true })
  return staging
}

function contentOf(name: string): string {
  return `${name.replace('.csv', '')}@example.com\n`
}

function timesOf(what: string, times: readonly number[], settleMs: number): string[][] {
  const beside = times.map((ms) => ms - settleMs)
  const shown = (part: number) => `${quantile(beside, part).toFixed(1)} ms`
  return [
    [`${what}, p50`, shown(0.5), ''],
    ['… p99', shown(0.99), ''],
    ['… longest', shown(1), ''],
  ]
}

function count(file: string, sql: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  const n = Number(db.prepare(sql).get()?.n)
  db.close()
  return n
}

async function until(holds: () => boolean, withinMs: number): Promise<void> {
  const begin = now()
  while (!holds()) {
    if (now() - begin > withinMs) throw new Error(`not all files have come through within ${withinMs / 1000} s`)
    await sleep(20)
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}
