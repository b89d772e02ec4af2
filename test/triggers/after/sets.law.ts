import fc from 'fast-check'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import type { Seed } from '../../../src/core/run.ts'
import type { AfterTrigger } from '../../../src/core/trigger.ts'
import type { State } from '../../../src/state/state.ts'
import { accountForEnds } from '../../../src/triggers/after/account-for-ends.ts'
import { fireDue } from '../../../src/triggers/fire-due.ts'
import type { Place, RunWriter } from '../../contract/run-writer.ts'
import { pipeline, step } from '../../support/pipelines.ts'

export type LawStore = Pick<State, 'ends' | 'occurrences' | 'runs'> & { readonly journal: RunWriter }

const REF = { pipeline: 'next', trigger: 'next' }
const WITHIN = 10
const TRIGGER: AfterTrigger = {
  ...{ kind: 'after', id: 'next', inputs: {}, at: { file: 'next.yaml', line: 1, column: 1 } },
  ...{ pipelines: ['a', 'b'], on: 'success', withinMs: WITHIN, missed: 'all', catchupWindowMs: 1_000_000 },
}

/** An event, a moment after the previous one. */
export type Happening =
  /** A run of a pipeline ends; it was started by a slot or by hand. `retries`: it repeats the one before. */
  | {
      readonly kind: 'end'
      readonly of: 'a' | 'b'
      readonly slot: number | undefined
      readonly ok: boolean
      readonly retries: boolean
    }
  | { readonly kind: 'wait'; readonly ms: number }
  /** The keeper looks; it dies at the n-th write, before or after it, and starts again. */
  | { readonly kind: 'look'; readonly diesAt: number; readonly before: boolean }
  /** Two keepers look at the same time. */
  | { readonly kind: 'two' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'restart' }

export const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        of: fc.constantFrom('a' as const, 'b' as const),
        slot: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        ok: fc.boolean(),
        retries: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('look' as const),
        diesAt: fc.integer({ min: 0, max: 6 }),
        before: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom<Happening>({ kind: 'two' }, { kind: 'restart' }) },
    { weight: 1, arbitrary: fc.constantFrom<Happening>({ kind: 'pause' }, { kind: 'resume' }) },
  ),
  { maxLength: 30 },
)

interface Ended {
  readonly runId: string
  readonly of: 'a' | 'b'
  readonly slot: number | undefined
  readonly at: number
}

/** The result for a set of runs: `a1+b2 ran`, `a1 incomplete`, `b2 late`, or `a1+b2 paused`. */
type Outcome = string

/** Applies all events to a store. Returns its result and the expected one. */
export async function outcomes(
  script: readonly Happening[],
  place: Place<LawStore, [service: string]>,
): Promise<{ readonly made: readonly Outcome[]; readonly meant: readonly Outcome[]; readonly runs: number }> {
  let now = Date.UTC(2026, 10, 28)
  let store = await place.open('a')
  let pausedAt: number | undefined
  const pauses: { from: number; to: number }[] = []
  const counted: Ended[] = []
  /** For the last run of each pipeline: its slot, and the first run of its chain of retries. */
  const last = new Map<string, { readonly origin: string; readonly slot: number | undefined }>()
  const good = new Set<string>()
  const slots = new Set<string>()
  let runs = 0
  let made = 0

  async function submit(runId: string, of: string, more: { seed?: Seed; occurrence?: object; trigger?: object }) {
    const document = { file: 'p.yaml', folder: '/', text: pipeline([step('s')]).text, digest: '' }
    const record = {
      type: 'run.submitted',
      pipeline: of,
      ...document,
      inputs: {},
      trigger: more.trigger ?? {},
      seed: more.seed,
    }
    return store.journal.submit({ runId, at: now, record, occurrence: more.occurrence } as never)
  }

  async function ends({ of, slot, ok, retries }: Extract<Happening, { kind: 'end' }>): Promise<void> {
    const before = retries ? last.get(of) : undefined
    const isTaken = before === undefined && slot !== undefined && slots.has(`${of}${slot}`)
    if (isTaken) return
    const runId = `${of}${String(runs++).padStart(3, '0')}`
    if (before) {
      const seed = { runId: before.origin, kept: [] } as unknown as Seed
      await submit(runId, of, { seed })
    } else if (slot === undefined) await submit(runId, of, {})
    else {
      slots.add(`${of}${slot}`)
      const key = new Date(Date.UTC(2026, 10, 1 + slot)).toISOString()
      await submit(runId, of, { occurrence: { trigger: 'nightly', key, at: 1 }, trigger: { kind: 'schedule' } })
    }
    const status = ok ? 'succeeded' : 'failed'
    await store.journal.append(runId, [{ seq: 1, at: now, record: { type: 'run.finished', status } } as never])
    const its = before ?? { origin: runId, slot }
    last.set(of, its)
    if (!ok || good.has(its.origin)) return
    good.add(its.origin)
    counted.push({ runId, of, slot: its.slot, at: now })
  }

  /** A check by the keeper, which dies at a write. */
  async function look(of: LawStore, diesAt = Number.POSITIVE_INFINITY, before = true): Promise<void> {
    let writes = 0
    const mortal = async <T>(write: () => Promise<T>): Promise<T> => {
      const dies = writes++ === diesAt
      if (dies && before) throw new Error('killed')
      const done = await write()
      if (dies) throw new Error('killed')
      return done
    }
    const paused = (await of.occurrences.memory(REF))?.pausedAt
    const ends = {
      ...of.ends,
      account: (...args: Parameters<typeof of.ends.account>) => mortal(() => of.ends.account(...args)),
    }
    const shares = () => true
    await accountForEnds({ ref: REF, trigger: TRIGGER }, { ends, shares, now, pausedAt: paused })
    const fire = async ({ key, at }: { key: string; at: number }) => {
      const runId = `next${made++}`
      const occurrence = { trigger: REF.trigger, key, at }
      await mortal(() => submit(runId, REF.pipeline, { occurrence, trigger: { kind: 'after' } }))
      return (await of.occurrences.find({ ...REF, key })) as Occurrence
    }
    await fireDue(
      REF,
      (occurrence) => occurrence as never,
      { occurrenceStore: of.occurrences, fire },
      new AbortController().signal,
    )
  }

  async function reopen(): Promise<void> {
    await store.journal.close()
    store = await place.open('a')
  }

  await store.ends.follow(REF, TRIGGER.pipelines)
  for (const one of script) {
    now += 1
    switch (one.kind) {
      case 'end':
        await ends(one)
        break
      case 'wait':
        now += one.ms
        break
      case 'look':
        await look(store, one.diesAt, one.before).catch(async (error: Error) => {
          if (error.message !== 'killed') throw error
          await reopen()
        })
        break
      case 'two':
        await Promise.all([look(store), look(store)])
        break
      case 'pause':
        await store.occurrences.pause(REF, now)
        pausedAt ??= now
        break
      case 'resume':
        if (pausedAt === undefined) break
        await look(store)
        await store.occurrences.unpause(REF)
        pauses.push({ from: pausedAt, to: now })
        pausedAt = undefined
        break
      case 'restart':
        await reopen()
        break
    }
  }
  now += 1
  await look(store)
  if (pausedAt !== undefined) {
    pauses.push({ from: pausedAt, to: now })
    await store.occurrences.unpause(REF)
  }
  now += WITHIN + 2
  await look(store)
  const listed = await store.occurrences.list({ ...REF, limit: 1000 })
  const result = {
    made: listed
      .map(({ key, state, reason }) => `${key.replace('runs ', '')} ${state === 'ran' ? state : reason}`)
      .sort(),
    meant: meant(counted, pauses).sort(),
    runs: (await store.runs.page({ pipeline: REF.pipeline, limit: 1000 })).rows.length,
  }
  await store.journal.close()
  return result
}

/** The simple model: for each slot its two runs, and runs by hand in the order in which they end. */
function meant(ends: readonly Ended[], pauses: readonly { from: number; to: number }[]): Outcome[] {
  const isPaused = (at: number) => pauses.some(({ from, to }) => at >= from && at < to)
  const outcome = (name: string, at: number, else_: string) => `${name} ${isPaused(at) ? 'paused' : else_}`
  const found: Outcome[] = []
  for (const slot of [0, 1, 2, 3]) {
    const [first, second] = ends.filter((end) => end.slot === slot)
    if (first && second && second.at - first.at <= WITHIN) found.push(pair(first, second))
    else {
      if (first) found.push(outcome(first.runId, first.at + WITHIN, 'incomplete'))
      if (second) found.push(outcome(second.runId, second.at, 'late'))
    }
  }
  const waiting: Ended[] = []
  for (const end of ends.filter(({ slot }) => slot === undefined)) {
    while (waiting[0] && end.at - waiting[0].at > WITHIN) alone(waiting.shift())
    if (waiting[0] && waiting[0].of !== end.of) found.push(pair(waiting.shift() as Ended, end))
    else waiting.push(end)
  }
  for (const end of waiting) alone(end)
  return found

  function alone(end: Ended | undefined): void {
    if (end) found.push(outcome(end.runId, end.at + WITHIN, 'incomplete'))
  }
  function pair(first: Ended, second: Ended): Outcome {
    const [a, b] = first.of === 'a' ? [first, second] : [second, first]
    return outcome(`${a.runId}+${b.runId}`, second.at, 'ran')
  }
}
