import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Occurrence, type OccurrenceState, type TriggerRef, triggerName } from '../../src/core/occurrence.ts'
import type { OccurrenceFilter, OccurrenceStore } from '../../src/state/occurrence-store.ts'
import { memoryOccurrenceStore } from '../support/memory-occurrence-store.ts'
import { type OccurrenceStoreUnderTest, TAKEN } from './occurrence-store-suite.ts'
import type { Place } from './run-writer.ts'

const REFS = [TAKEN, { pipeline: TAKEN.pipeline, trigger: 'other' }, { pipeline: 'q', trigger: TAKEN.trigger }] as const
/**
 * Each time belongs to one trigger, so that all occurrences have one order. The triggers of successive times are those
 * of REFS, repeated.
 */
const TIMES = 35
const refOf = (at: number) => REFS[at % 3] ?? TAKEN
const keyOf = (at: number) => (at % 2 === 0 ? `2026-11-22T07:00:00.${String(at).padStart(3, '0')}Z` : `file ${at}`)

const at = fc.nat(TIMES)
/** The times of TAKEN. */
const takenAt = fc.nat(11).map((time) => 3 * time)
const note = fc.record({
  act: fc.constant('note' as const),
  at,
  state: fc.constantFrom<OccurrenceState>('due', 'due', 'skipped', 'missed', 'failed', 'ran'),
  open: fc.boolean(),
  outcome: fc.option(fc.constantFrom('succeeded', 'failed'), { nil: undefined }),
  known: fc.option(fc.constantFrom('keep' as const, 'missed' as const), { nil: undefined, freq: 2 }),
  cursor: fc.option(at, { nil: undefined }),
  times: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
})
const acts = fc.oneof(
  { weight: 5, arbitrary: note },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('take' as const), at: takenAt, open: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('end' as const),
      at: takenAt,
      status: fc.constantFrom('succeeded' as const, 'failed' as const, 'cancelled' as const),
      failures: fc.nat(1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom('pause' as const, 'unpause' as const, 'close' as const), at }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('rewind' as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('forget' as const), at, limit: fc.integer({ min: 1, max: 3 }) }),
  },
)
type Act = ReturnType<typeof acts.generate>['value']

const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 })
const filters = fc
  .record({
    pipeline: maybe(fc.constantFrom('p', 'q')),
    trigger: maybe(fc.constantFrom(TAKEN.trigger, 'other')),
    state: maybe(fc.subarray<OccurrenceState>(['due', 'ran', 'skipped', 'missed', 'failed'], { minLength: 1 })),
    kind: maybe(fc.constantFrom('slot' as const, 'file' as const)),
    runId: maybe(takenAt.map((time) => `run-${time}`)),
    from: maybe(at),
    to: maybe(at),
    limit: fc.constantFrom(2, 99),
  })
  .map((filter) => JSON.parse(JSON.stringify(filter)) as OccurrenceFilter)

/** A store returns the same as its model, after any operations and for any query. */
export function occurrenceModelSuite(
  name: string,
  place: () => Place<OccurrenceStoreUnderTest>,
  { plans }: { readonly plans: number },
): void {
  describe(`occurrences against their model: ${name}`, () => {
    test('every read says the same after whatever was done', async () => {
      const plan = fc.tuple(
        fc.array(acts, { minLength: 10, maxLength: 40 }),
        fc.array(filters, { minLength: 15, maxLength: 15 }),
      )
      await fc.assert(
        fc.asyncProperty(plan, async ([done, asked]) => {
          const opened = place()
          const store = await opened.open()
          const model = memoryOccurrenceStore()
          try {
            const submitted = new Set<number>()
            const ended = new Set<number>()
            for (const act of done) await change(act, store, model, { submitted, ended })
            for (const filter of asked)
              expect(await store.occurrenceStore.list(filter)).toEqual(await model.list(filter))
            expect(await readsOf(store.occurrenceStore)).toEqual(await readsOf(model))
            for (const since of [0, 9, 20])
              expect(await store.occurrenceStore.summary(since)).toMatchObject(await summaryOf(model, since))
          } finally {
            await store.close()
            await opened.remove()
          }
        }),
        { numRuns: plans },
      )
    })
  })
}

async function change(
  act: Act,
  { occurrenceStore, take, end }: OccurrenceStoreUnderTest,
  model: ReturnType<typeof memoryOccurrenceStore>,
  { submitted, ended }: { readonly submitted: Set<number>; readonly ended: Set<number> },
): Promise<void> {
  const runId = `run-${act.act === 'end' || act.act === 'take' ? act.at : ''}`
  switch (act.act) {
    case 'note': {
      const { at, state, open, outcome, known, cursor, times } = act
      const occurrence: Omit<Occurrence, 'pipeline' | 'trigger'> = {
        ...{ key: keyOf(at), at, state },
        ...(state !== 'due' && { reason: state }),
        ...(state === 'ran' && { runId: `gone-${at}` }),
        ...(open && { open: true as const }),
        ...(outcome && { detail: { outcome } }),
      }
      const noted = {
        occurrences: [occurrence],
        known,
        ...(cursor !== undefined && { cursor, ...(times && { times }) }),
      }
      expect(await occurrenceStore.note(refOf(at), noted)).toEqual(await model.note(refOf(at), noted))
      break
    }
    case 'take': {
      if (submitted.has(act.at)) break
      const occurrence = { key: keyOf(act.at), at: act.at, ...(act.open && { open: true as const }) }
      const isTaken = model.take({ ...occurrence, ...TAKEN }, runId)
      expect(await take({ ...occurrence, state: 'due' }, runId)).toBe(isTaken)
      if (isTaken) submitted.add(act.at)
      break
    }
    case 'end':
      if (!submitted.has(act.at) || ended.has(act.at)) break
      ended.add(act.at)
      for (const one of [{ end }, model]) await one.end(runId, act.status, failuresOf(act))
      break
    case 'forget':
      expect(await occurrenceStore.forget({ before: act.at, limit: act.limit })).toBe(
        await model.forget({ before: act.at, limit: act.limit }),
      )
      break
    case 'rewind': {
      const from = (await model.memory(refOf(act.at)))?.cursor ?? 0
      const cursor = { from, to: Math.min(act.at, from) }
      expect(await occurrenceStore.rewind(refOf(act.at), cursor)).toBe(await model.rewind(refOf(act.at), cursor))
      break
    }
    case 'pause':
      for (const one of [occurrenceStore, model]) await one.pause(refOf(act.at), act.at)
      break
    case 'unpause':
      for (const one of [occurrenceStore, model]) await one.unpause(refOf(act.at))
      break
    case 'close':
      for (const one of [occurrenceStore, model])
        await one.close({ ...refOf(act.at), key: keyOf(act.at) }, { moved: act.at })
  }
}

function failuresOf({ status, failures }: { readonly status: string; readonly failures: number }) {
  return status === 'succeeded' && failures > 0 ? { failures, failuresOf: 3 } : {}
}

async function readsOf(store: OccurrenceStore) {
  const names = (all: readonly TriggerRef[]) => all.map(triggerName).toSorted()
  return {
    memory: await Promise.all(REFS.map((ref) => store.memory(ref))),
    memories: names(await store.memories()),
    triggersDue: names(await store.triggersDue()),
    found: await Promise.all(
      Array.from({ length: TIMES + 1 }, (_, at) => store.find({ ...refOf(at), key: keyOf(at) })),
    ),
    due: await Promise.all(REFS.map((ref) => store.due(ref, 2))),
    ended: await Promise.all(REFS.map((ref) => store.ended(ref, 2))),
  }
}

/** The model's summary, together with the numbers that the model does not count. */
async function summaryOf(model: ReturnType<typeof memoryOccurrenceStore>, since: number) {
  const counted = (await model.summary(since)).map(({ caughtUp: _, ...summary }) => {
    const same = model.all().filter((one) => triggerName(one) === triggerName(summary))
    const due = same.filter(({ state }) => state === 'due').length
    return { ...summary, due, open: same.filter(({ open }) => open).length }
  })
  const isShown = ({ due, open, recent }: (typeof counted)[number]) =>
    due + open + Object.values(recent).reduce((sum, count) => sum + count, 0) > 0
  return counted.filter(isShown).toSorted((a, b) => (triggerName(a) < triggerName(b) ? -1 : 1))
}
