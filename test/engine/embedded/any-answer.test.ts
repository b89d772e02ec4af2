import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Engine } from '../../../src/core/engine.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Journal, NewRun } from '../../../src/state/journal.ts'
import type { SentMessage } from '../../../src/state/run-history.ts'
import { type NewRecord, RunTakenOverError } from '../../../src/state/run-store.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tries } from '../../support/tries.ts'

/*
 * The journal of an engine answers writes in any order, at any time, or not at all because the disk is full. Meanwhile,
 * runs are submitted, cancelled and resumed, another process takes some and gives them back, and in the end the engine
 * stops. These statements are always true:
 *   1. no step of a run starts while it is already active;
 *   2. when the disk has room, every run that no other process owns ends, and with a recorded cancel it ends cancelled;
 *   3. the events of a run are its records, once and in order, to its end;
 *   4. after a stop, the engine owns no run and starts no step;
 *   5. if nobody takes, cancels or resumes a run, no more runs are active than allowed.
 */

const ROOM = 2
const RUNS = ['a', 'b', 'c', 'd', 'e', 'f'] as const

type Owner = 'us' | 'other' | undefined

/** A disk with runs and their owners, as a journal whose writes wait for the test. */
function heldJournal() {
  const disk = memoryJournal(new Map())
  const owners = new Map<string, Owner>()
  const queued = new Set<string>()
  const lost = new Set<string>()
  let messages: SentMessage[] = []
  const open: { readonly isAppend: boolean; readonly answer: (isFull: boolean) => void }[] = []
  let sent = 0
  const held = <T>(act: () => T | Promise<T>, taken?: () => void): Promise<T> =>
    new Promise((resolve, reject) => {
      const full = Object.assign(new Error('the disk is full'), { errcode: 13 })
      const answer = (isFull: boolean) => {
        taken?.()
        isFull ? reject(full) : resolve(Promise.try(act))
      }
      open.push({ isAppend: taken !== undefined, answer })
    })
  /** The data is on disk before the answer. */
  const heldTwice = async <T>(act: () => T | Promise<T>): Promise<T> => {
    const done = await held(act)
    await held(() => undefined)
    return done
  }
  const isEnded = (runId: string) => disk.records(runId).some(({ record }) => record.type === 'run.finished')
  const known = () => [...owners.keys()]
  const journal = {
    ...disk,
    submit: (run: NewRun) =>
      heldTwice(async () => {
        const submitted = await disk.submit(run)
        owners.set(run.runId, 'us')
        if (run.hold) queued.add(run.runId)
        return { ...submitted, state: run.hold ? 'queued' : 'running' }
      }),
    append(runId: string, records: readonly NewRecord[], taken?: () => void) {
      const all = () => {
        if (owners.get(runId) !== 'us') throw new RunTakenOverError(runId)
        return disk.append(runId, records)
      }
      return held(all, taken)
    },
    claim: (runId: string) =>
      held(() => {
        if (owners.get(runId) === 'other' || isEnded(runId)) return false
        owners.set(runId, 'us')
        return true
      }),
    release: (runIds: readonly string[]) =>
      held(() => {
        for (const runId of runIds) if (owners.get(runId) === 'us') owners.set(runId, undefined)
      }),
    admit: ({ room, orphans, taken, isBegun }: Parameters<Journal['admit']>[0]) =>
      heldTwice(() => {
        // A run that was cancelled in its queue has ended there.
        const waits = (runId: string) => queued.has(runId) && !isEnded(runId) && !isBegun?.(runId)
        const mine = ([runId, owner]: [string, Owner]) =>
          waits(runId) && (owner === 'us' || (orphans && owner === undefined))
        const admitted = [...owners].filter(mine).slice(0, Math.max(0, room()))
        for (const [runId] of admitted) {
          queued.delete(runId)
          owners.set(runId, 'us')
        }
        taken?.(admitted.map(([runId]) => runId))
        return admitted.map(([runId]) => runId)
      }),
    send: (runId: string, message: SentMessage['message']) =>
      held(() => {
        sent += 1
        messages.push({ id: sent, runId, message })
      }),
    acknowledge: (id: number) =>
      held(() => {
        messages = messages.filter((one) => one.id !== id)
      }),
    messages: () => messages.filter(({ runId }) => owners.get(runId) === 'us'),
    owns: (runId: string) => owners.get(runId) === 'us',
    held: () => known().filter((runId) => owners.get(runId) === 'us' && !queued.has(runId) && !isEnded(runId)),
    orphans: () => known().filter((runId) => owners.get(runId) === undefined && !queued.has(runId) && !isEnded(runId)),
    lost() {
      const gone = [...lost]
      lost.clear()
      return gone
    },
    find: (runId: string) => {
      if (!owners.has(runId)) return undefined
      return { status: queued.has(runId) && !isEnded(runId) ? 'queued' : 'running' }
    },
  } as unknown as Journal
  return {
    journal,
    open,
    isEnded,
    owners,
    records: (runId: string) => disk.records(runId).map(({ record }) => record),
    /** Another process takes a run, as after a pause of this one, and gives it back. */
    take(runId: string) {
      if (owners.get(runId) !== 'us' || queued.has(runId) || isEnded(runId)) return
      owners.set(runId, 'other')
      lost.add(runId)
    },
    giveBack: (runId: string) => void (owners.get(runId) === 'other' && owners.set(runId, undefined)),
  }
}

const EVENTS: Readonly<Record<string, string>> = {
  'run.submitted': 'run.started',
  'step.started': 'step.started',
  'step.finished': 'step.finished',
  'run.finished': 'run.finished',
}

const acts = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ act: fc.constant('answer' as const), at: fc.nat(9), isFull: fc.constant(false) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('answer' as const), at: fc.nat(9), isFull: fc.constant(true) }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('work' as const), at: fc.nat(9) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.constantFrom(250, 1000, 5000) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom('submit', 'cancel', 'resume', 'take', 'giveBack'),
      runId: fc.constantFrom(...RUNS),
    }),
  },
)

/** Nobody else changes the runs. */
const actsAlone = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ act: fc.constant('answer' as const), at: fc.nat(9), isFull: fc.constant(false) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('work' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.constantFrom(250, 1000) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('submit' as const), runId: fc.constantFrom(...RUNS) }) },
)

type Act = ReturnType<typeof acts.generate>['value']

async function live(plan: readonly Act[], { stops }: { readonly stops: boolean }): Promise<void> {
  const held = heldJournal()
  const { journal, open, owners } = held
  let now = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const working = new Set<{ readonly key: string; readonly end: () => void }>()
  const broken: string[] = []
  const told = new Map<string, string[]>()
  const submitted = new Set<string>()
  let hasStopped = false
  const engine: Engine = createEngine({
    ...{ journal, random: () => 0.5, stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {}, maxRuns: ROOM },
    clock: {
      ...systemClock,
      now: () => now,
      steady: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const sleeper = { at: now + ms, wake: resolve }
          if (signal?.aborted) return reject(signal.reason)
          sleepers.add(sleeper)
          signal?.addEventListener('abort', () => sleepers.delete(sleeper) && reject(signal.reason), { once: true })
        }),
    },
    runStep: (_name, { runId, stepKey, signal }) =>
      new Promise((resolve, reject) => {
        const key = `${runId}/${stepKey}`
        if (hasStopped) broken.push(`${key} after the stop`)
        if ([...working].some((other) => other.key === key)) broken.push(`${key} twice`)
        const one = {
          key,
          end: () => {
            working.delete(one)
            resolve({})
          },
        }
        working.add(one)
        const stop = () => {
          working.delete(one)
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
      }),
  })
  engine.watch((event) => {
    const ofRun = told.get(event.runId) ?? []
    told.set(event.runId, [...ofRun, event.event])
  })
  const asked: Promise<unknown>[] = []
  const ask = (work: Promise<unknown>) => void asked.push(work.catch(() => undefined))
  const pass = (ms: number) => {
    now += ms
    for (const sleeper of sleepers) if (sleeper.at <= now && sleepers.delete(sleeper)) sleeper.wake()
  }
  const answer = (at: number, isFull = false) => {
    const chosen = open[at % Math.max(1, open.length)]
    // Writes that add records are answered in order.
    const one = chosen?.isAppend ? open.find(({ isAppend }) => isAppend) : chosen
    if (!one) return
    open.splice(open.indexOf(one), 1)
    one.answer(isFull)
  }
  engine.start()
  const isAlone = plan.every(
    (one) => ['submit', 'work', 'pass'].includes(one.act) || (one.act === 'answer' && !one.isFull),
  )
  for (const one of plan) {
    if (one.act === 'answer') answer(one.at, one.isFull && !stops)
    if (one.act === 'work') [...working][one.at % Math.max(1, working.size)]?.end()
    if (one.act === 'pass') pass(one.ms)
    if (one.act === 'submit' && !submitted.has(one.runId)) {
      submitted.add(one.runId)
      const document = pipeline([step('one'), step('two', { needs: ['one'] })])
      ask(engine.submit({ runId: one.runId, pipeline: document, inputs: {}, trigger: {}, folder: '/' }))
    }
    if (one.act === 'cancel' && owners.has(one.runId)) ask(engine.cancel(one.runId))
    if (one.act === 'resume' && owners.has(one.runId)) ask(engine.resume(one.runId))
    if (one.act === 'take') held.take(one.runId)
    if (one.act === 'giveBack') held.giveBack(one.runId)
    await turn()
    if (isAlone && engine.load().runs > ROOM) broken.push(`${engine.load().runs} active runs`)
  }
  for (const runId of RUNS) held.giveBack(runId)
  if (stops) {
    let isOver = false
    hasStopped = true
    const stopped = engine.stop(1000).then(() => {
      isOver = true
    })
    for (let turns = 0; turns < 500 && (!isOver || open.length > 0); turns += 1) {
      answer(turns)
      if (turns > 100) pass(1000)
      await turn()
    }
    await stopped
    expect([journal.held(), broken]).toEqual([[], []])
    return
  }
  for (let turns = 0; turns < 90; turns += 1) {
    answer(0)
    if (turns % 3 === 0) pass(1000)
    await turn()
  }
  // A message is for the active run, not for one that has ended.
  expect(journal.messages().filter(({ runId }) => !held.isEnded(runId))).toEqual([])
  const isOver = () => [...owners.keys()].every(held.isEnded)
  for (let turns = 0; turns < 3000 && !(isOver() && open.length === 0); turns += 1) {
    const [first] = working
    answer(0)
    first?.end()
    if (turns % 5 === 0) pass(500)
    await turn()
  }
  expect(broken).toEqual([])
  for (const runId of owners.keys()) {
    const records = held.records(runId)
    const end = records.at(-1)
    expect(end).toMatchObject({ type: 'run.finished' })
    const isCancelled = records.some(({ type }) => type === 'cancel.requested')
    expect(end).toMatchObject({ status: isCancelled ? 'cancelled' : 'succeeded' })
    const recorded = records.flatMap(({ type }) => EVENTS[type] ?? [])
    const seen = told.get(runId) ?? []
    expect(seen).toEqual(recorded.slice(-seen.length))
    expect(seen).toContain(isAlone ? 'run.started' : 'run.finished')
  }
  hasStopped = true
  const stopped = engine.stop(0)
  while (open.length > 0) {
    answer(0)
    await turn()
  }
  await stopped
  await Promise.all(asked)
}

const numRuns = tries(60, 3000)

test('whatever the journal answers at any moment, each run that no other process has ends once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 20, maxLength: 120 }), (plan) => live(plan, { stops: false })),
    { numRuns },
  )
})

test('however submissions, admissions and their answers meet, no more runs are active than may be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actsAlone, { minLength: 20, maxLength: 90 }), (plan) => live(plan, { stops: false })),
    { numRuns },
  )
})

test('an engine that stops at any moment begins nothing more and gives back what it had', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 80 }), (plan) => live(plan, { stops: true })),
    { numRuns },
  )
})
