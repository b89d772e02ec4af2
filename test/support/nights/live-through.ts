import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventsOf, root } from '../audience.ts'
import { commandLine } from '../command-line.ts'
import { embeddedService, type Project, projectIn, stateRows, until } from '../daemon.ts'
import { countMade, directClient } from '../four-writes.ts'
import { givePeople } from '../people.ts'
import { recordedRuns } from '../recorded-runs.ts'
import { expectedFates, isIn, isOff, keyOf, type Span, type Story, slotsOf } from './expected-slots.ts'
import { documentOf, SCHEDULES } from './schedules.ts'
import { VirtualDaemon } from './virtual-daemon.ts'

/** How long before a slot the clock stops leaping. */
const LEAD_MS = 1000
/** When kills come after that, in real time: before the slot, in the middle of its run, and after it. */
const KILL_MS = { from: 20, to: 220 }
/** A start takes about this long in real time. */
const START_MS = 700
const SHARES = { killed: 0.1, killedAgain: 0.2, stopped: 0.03 }

export interface Month extends Story {
  /** The local date in New York of the slot that asks. */
  readonly askedOn?: string
  /** When the daemon is killed at every slot. */
  readonly killed: Span
}

/** The figures of a month. */
export interface Tally {
  readonly slots: number
  readonly runs: number
  readonly kills: number
  /** Kills and stops while runs were active. */
  readonly interruptions: number
  readonly stops: number
  readonly decisions: number
}

interface Moment {
  readonly at: number
  readonly act?: () => Promise<void>
}

interface DueSlot {
  readonly name: string
  readonly key: string
  readonly startsAt: number
}

/**
 * Runs the real command for a month of nights, kills and stops it at random moments, and compares its records and the
 * content of the service with the calendar and the story.
 */
export async function liveThrough(month: Month, folder: string, random: () => number): Promise<Tally> {
  const project = projectIn(folder)
  await givePeople(join(folder, 'state'))
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'audience.yaml'), '')
  writePeople(folder, 0)
  for (const schedule of SCHEDULES)
    writeFileSync(join(folder, 'pipelines', `${schedule.name}.yaml`), documentOf(schedule, month.askedOn ?? 'never'))
  const daemon = new VirtualDaemon(project, month.from)
  try {
    const slots = await slotsToCome(project, month)
    const person = new Person(project, daemon)
    await daemon.start(month.from)
    for (const { at, act } of momentsOf(month, slots, daemon, person)) {
      // The file is written while nothing runs, because a file that changes during its upload must fail its run.
      writePeople(folder, at)
      if (act) await act()
      if (!daemon.isUp) continue
      await daemon.leapTo(at - LEAD_MS)
      if (!act) await disturb(daemon, random, isIn(at, month.killed))
      await settle(project, person, slots, at)
    }
    await daemon.leapTo(month.to)
    await settle(project, person, slots, month.to)
    expectAllAccountedFor(project, month)
    await expectMadeOnce(project)
    await daemon.stop()
    return {
      slots: Number(stateRows(project, 'SELECT count(*) AS n FROM occurrences')[0]?.n),
      runs: Number(stateRows(project, 'SELECT count(*) AS n FROM runs')[0]?.n),
      kills: daemon.kills,
      interruptions: daemon.interruptions,
      stops: daemon.stops,
      decisions: person.decisions,
    }
  } finally {
    await daemon.kill()
  }
}

/** A different file of people every night. */
function writePeople(folder: string, at: number): void {
  const [header, ...rows] = readFileSync(join(root, 'pipelines/data/auto-intenders.csv'), 'utf8').trimEnd().split('\n')
  const first = Math.floor(at / 86_400_000) % 1000
  writeFileSync(join(folder, 'pipelines/people.csv'), [header, ...rows.slice(first, first + 400), ''].join('\n'))
}

/** The slots on days that are not off, as the command lists them. The calendar must give the same. */
async function slotsToCome({ options }: Project, month: Month): Promise<DueSlot[]> {
  const asked = ['schedule', 'next', '-n', '500', '--after', keyOf(month.from - 1), '--json']
  const { out } = await commandLine(asked, options)
  const told = eventsOf(out).map(({ pipeline, at, startsAt = at }) => ({
    name: String(pipeline),
    key: String(at),
    startsAt: Date.parse(String(startsAt)),
  }))
  const slots = told.filter(({ key }) => Date.parse(key) < month.to)
  for (const schedule of SCHEDULES) {
    const own = slots.filter(({ name }) => name === schedule.name)
    const expected = slotsOf(schedule, month).filter((slot) => !isOff(schedule, slot))
    expect(own.map(({ key }) => key)).toEqual(expected.map(keyOf))
    for (const { key, startsAt } of own) {
      expect(startsAt - Date.parse(key)).toBeGreaterThanOrEqual(0)
      expect(startsAt - Date.parse(key)).toBeLessThanOrEqual(schedule.jitterMs)
    }
  }
  return slots
}

/** All events, in order. */
function momentsOf(month: Month, slots: readonly DueSlot[], daemon: VirtualDaemon, person: Person): Moment[] {
  const { downs, pause, asked } = month
  const acts: Moment[] = [
    ...downs.flatMap(({ from, to }, index) => [
      { at: from, act: () => (index % 2 === 0 ? daemon.stop() : daemon.kill()) },
      { at: to, act: () => daemon.start(to) },
    ]),
    ...(pause ? pausing(pause, daemon) : []),
    ...(asked ? [{ at: asked.to, act: () => person.approveAll() }] : []),
  ]
  const times = new Set(slots.map(({ startsAt }) => startsAt))
  return [...acts, ...[...times].map((at) => ({ at }))].sort((a, b) => a.at - b.at)
}

/** Pauses a schedule, and later runs the skipped slots. */
function pausing({ schedule, from, to }: NonNullable<Month['pause']>, daemon: VirtualDaemon): Moment[] {
  const name = `${schedule}/night`
  const resume = async () => {
    await daemon.command('schedule', 'resume', name)
    await daemon.command('schedule', 'backfill', name, '--from', keyOf(from), '--to', keyOf(to), '--only-missing')
  }
  return [
    { at: from, act: async () => void (await daemon.command('schedule', 'pause', name)) },
    { at: to, act: resume },
  ]
}

/** Kills it on some nights, sometimes again while it starts, and stops it on other nights. */
async function disturb(daemon: VirtualDaemon, random: () => number, surely: boolean): Promise<void> {
  const choice = surely ? 0 : random()
  const wait = KILL_MS.from + random() * (KILL_MS.to - KILL_MS.from)
  const again = random() < SHARES.killedAgain ? { killAfterMs: random() * START_MS } : {}
  if (choice > SHARES.killed + SHARES.stopped) return
  await new Promise((resolve) => setTimeout(resolve, wait))
  if (choice < SHARES.killed) await daemon.kill()
  else await daemon.stop()
  await daemon.start(0, again)
}

const OPEN_RUNS = `
  SELECT pipeline, status, run_id FROM runs WHERE finished_at IS NULL AND NOT (status = 'queued' AND EXISTS (
    SELECT 1 FROM runs AS before WHERE before.pipeline = runs.pipeline AND before.status = 'waiting'))`

/** Waits until every slot up to now has its entry and every run that can end has ended. */
async function settle(project: Project, person: Person, slots: readonly DueSlot[], now: number): Promise<void> {
  const come = slots.filter(({ startsAt }) => startsAt <= now)
  const noted = 'SELECT pipeline, key FROM occurrences WHERE state <> ?'
  const missing = () => {
    const known = new Set(stateRows(project, noted, 'due').map(({ pipeline, key }) => `${pipeline} ${key}`))
    return come.filter(({ name, key }) => !known.has(`${name} ${key}`))
  }
  const open = () => stateRows(project, OPEN_RUNS)
  const due = () => stateRows(project, 'SELECT * FROM occurrences WHERE state = ?', 'due')
  const look = async () => {
    const runs = open()
    await person.decide(runs)
    // Most checks end here, after one query.
    if (runs.some(({ status }) => status !== 'waiting')) return false
    // The order matters: a slot that is missing now becomes due a moment later, and then becomes a run.
    return missing().length === 0 && due().length === 0 && open().every(({ status }) => status === 'waiting')
  }
  const describe = () => `${keyOf(now)}: ${JSON.stringify({ open: open(), due: due(), missing: missing() })}`
  await until(look, { describe })
}

/** The person who is asked. */
class Person {
  readonly #project: Project
  readonly #daemon: VirtualDaemon
  decisions = 0

  constructor(project: Project, daemon: VirtualDaemon) {
    this.#project = project
    this.#daemon = daemon
  }

  async approveAll(): Promise<void> {
    const asks = SCHEDULES.filter(({ does }) => does === 'ask')
    const waiting = this.#waiting()
    expect(waiting.map(({ pipeline }) => pipeline).sort()).toEqual(asks.map(({ name }) => name).sort())
    for (const { run_id: runId } of waiting) await this.#daemon.command('runs', 'approve', String(runId), 'release')
    await until(() => this.#waiting().length === 0)
  }

  /** If nothing shows whether a match or an activation was made, a person checks. */
  async decide(open: ReturnType<typeof stateRows>): Promise<void> {
    for (const { run_id: runId, pipeline, status } of open) {
      if (status !== 'waiting' || SCHEDULES.find(({ name }) => name === pipeline)?.does !== 'ensure') continue
      const api = directClient(embeddedService(this.#project))
      const { matches, activations } = await countMade(api, String(pipeline)).finally(() => api.close())
      const step = this.#stepOf(String(runId))
      const answer = (step === 'match' ? matches : activations) > 0 ? '--done' : '--again'
      await this.#daemon.command('runs', 'resume', String(runId), '--step', step, answer)
      this.decisions += 1
    }
  }

  /** The step that waits. */
  #stepOf(runId: string): string {
    const waits = `run_id = '${runId}' AND data ->> 'type' = 'step.waiting'`
    const rows = stateRows(
      this.#project,
      `SELECT data ->> 'step' AS step FROM records WHERE ${waits} ORDER BY seq DESC`,
    )
    return String(rows[0]?.step)
  }

  #waiting() {
    return stateRows(this.#project, `SELECT run_id, pipeline FROM runs WHERE status = 'waiting'`)
  }
}

/**
 * Every slot of the calendar has exactly one entry, with the outcome that the story expects, and each run has its slot.
 */
function expectAllAccountedFor(project: Project, month: Month): void {
  const recorded = stateRows(project, 'SELECT * FROM occurrences ORDER BY at, id')
  for (const schedule of SCHEDULES) {
    const own = recorded.filter(({ pipeline }) => pipeline === schedule.name)
    const fates = own.map(({ key, state, reason }) => [key, { state, ...(reason !== null && { reason }) }])
    const expected = [...expectedFates(schedule, month)].sort(([a], [b]) => (a < b ? -1 : 1))
    expect(
      fates.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      schedule.name,
    ).toEqual(expected)
  }
  const runs = recordedRuns(project)
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  const ran = recorded.filter(({ state }) => state === 'ran')
  expect(runs.map(({ runId, pipeline, begun }) => `${runId} ${pipeline} ${begun.trigger.at}`).sort()).toEqual(
    ran.map((each) => `${each.run_id} ${each.pipeline} ${keyOf(Number(each.at))}`).sort(),
  )
}

async function expectMadeOnce(project: Project): Promise<void> {
  const api = directClient(embeddedService(project))
  try {
    for (const { name, does } of SCHEDULES) {
      if (does !== 'ensure') continue
      expect(await countMade(api, name), name).toEqual({ segments: 1, matches: 1, activations: 1 })
    }
  } finally {
    await api.close()
  }
}
