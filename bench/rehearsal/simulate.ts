import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { documentAt } from '../../src/daemon/documents/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { datesFrom, planSlots } from '../../src/rehearsal/simulation/plan-slots.ts'
import type { Simulation } from '../../src/rehearsal/simulation/simulation-schema.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { watchChildren } from '../support/children-used.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** The time and memory of `audience simulate` for documents like nightly.yaml, with 5.4 slots per day each. */
const main = resolve(import.meta.dirname, '../../dist/main.js')
const nightly = readFileSync(resolve(import.meta.dirname, '../../pipelines/nightly.yaml'), 'utf8')
const FROM = '2026-10-20'
const MOST_MB = 500
const MOST_SECONDS_OF_SLOTS = 5

const rows: (readonly string[])[] = []
const perRun: number[] = []
for (const { documents, most } of [
  { documents: 5, most: 10 },
  { documents: 50, most: 60 },
])
  await withTempFolder(async (folder) => {
    writeProject(folder, documents)
    const { seconds, processor, megabytes, slots, lived } = await simulate(folder)
    perRun.push(processor / lived)
    const what = `${documents} documents, 30 days, ${slots} slots, ${lived} lived`
    rows.push([what, `${seconds.toFixed(1)} s`, `≤ ${most} s`, verdict(seconds <= most)])
    rows.push(['… processor time of the world', `${processor.toFixed(1)} s`, 'stated', ''])
    rows.push(['… memory of the world', `${megabytes} MB`, `≤ ${MOST_MB} MB`, verdict(megabytes <= MOST_MB)])
  })
const [few = 0, many = 0] = perRun
rows.push([
  'processor time a lived slot, 50 documents beside 5',
  (many / few).toFixed(2),
  '≤ 1.5',
  verdict(many <= 1.5 * few),
])
await withTempFolder(async (folder) => {
  writeProject(folder, 50)
  const { seconds, slots } = planYear(join(folder, 'pipelines'))
  const what = `the ${slots} slots of a year of 50 documents, with loading them`
  const isQuick = seconds <= MOST_SECONDS_OF_SLOTS
  rows.push([what, `${seconds.toFixed(1)} s`, `≤ ${MOST_SECONDS_OF_SLOTS} s`, verdict(isQuick)])
})
printTable(['audience simulate', 'measured', 'limit', ''], rows)
console.log(describeMachine())

/** One in ten documents runs each hour, four in ten every four hours, and the others each night. */
function writeProject(folder: string, documents: number): void {
  mkdirSync(join(folder, 'pipelines'))
  for (let at = 0; at < documents; at++) {
    const minute = (at * 7) % 60
    const hours = at % 10 === 0 ? '*' : at % 10 < 5 ? '0,4,8,12,16,20' : String(at % 6)
    const own = nightly
      .replaceAll('auto-intenders', `list-${at}`)
      .replace('Auto intenders', `List ${at}`)
      .replace('"0 2 * * *"', `"${minute} ${hours} * * *"`)
    writeFileSync(join(folder, `pipelines/list-${at}.yaml`), own)
  }
}

async function simulate(folder: string) {
  const begun = performance.now()
  const args = ['simulate', '--from', FROM, '--format', 'json', '--fail-on', 'failed,late,skipped']
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const grandchildren = watchChildren(child.pid)
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  const seconds = (performance.now() - begun) / 1000
  const { processorMs, peakBytes } = grandchildren.stop()
  if (code !== 0) throw new Error(`audience simulate ended with ${code}`)
  const { schedules } = JSON.parse(out) as Simulation
  const sum = (of: (one: Simulation['schedules'][number]) => number) => schedules.reduce((all, one) => all + of(one), 0)
  return {
    seconds,
    processor: processorMs / 1000,
    megabytes: Math.round(peakBytes / 1e6),
    slots: sum((one) => one.slots),
    lived: sum((one) => one.lived),
  }
}

function planYear(folder: string) {
  const begun = performance.now()
  const pipelines = readdirSync(folder).flatMap((name) => {
    const file = join(folder, name)
    const document = documentAt(file)
    if (!document || 'unread' in document) throw new Error(`${file} cannot be read`)
    return loadPipeline({ ...document, file, stepTypes }).pipeline ?? []
  })
  const schedules = planSlots(pipelines, datesFrom(FROM, 366), () => undefined)
  const slots = schedules.reduce((sum, one) => sum + one.slots.length, 0)
  return { seconds: (performance.now() - begun) / 1000, slots }
}
