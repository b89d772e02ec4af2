import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Occurrence } from '../../src/core/occurrence.ts'
import type { FinalStatus, ToleratedFailures } from '../../src/core/run.ts'
import type { OccurrenceStore } from '../../src/state/occurrence-store.ts'
import type { Place } from './run-writer.ts'

/** A store of occurrences, as used by the suite. */
export interface OccurrenceStoreUnderTest {
  readonly occurrenceStore: OccurrenceStore
  /** Takes an occurrence, as an engine does when it creates its run. Returns whether it was still free. */
  take(occurrence: Noted, runId: string): Promise<boolean>
  end(runId: string, status: FinalStatus, failed?: ToleratedFailures): Promise<void>
  close(): void | Promise<void>
}

type Noted = Omit<Occurrence, 'pipeline' | 'trigger'>

const NIGHTLY = { pipeline: 'p', trigger: 'nightly' }
const HOURLY = { pipeline: 'p', trigger: 'hourly' }
const OTHER = { pipeline: 'q', trigger: 'nightly' }

/** What every occurrence store promises. */
export function occurrenceStoreSuite(name: string, place: () => Place<OccurrenceStoreUnderTest>): void {
  describe(`trigger occurrenceStore: ${name}`, () => {
    let opened: ReturnType<typeof place>
    let store: OccurrenceStoreUnderTest
    let occurrenceStore: OccurrenceStore

    const open = async () => {
      store = await opened.open()
      occurrenceStore = store.occurrenceStore
    }
    beforeEach(async () => {
      opened = place()
      await open()
    })
    afterEach(async () => {
      await store.close()
      await opened.remove()
    })
    const reopen = async () => {
      await store.close()
      await open()
    }
    const keys = (occurrences: readonly Occurrence[]) => occurrences.map(({ key }) => key).join(' ')

    test('what was noted is there after the process ended, as it was noted', async () => {
      const occurrences: Noted[] = [
        { key: 'a', at: 1, state: 'due' },
        { key: 'b', at: 2, state: 'missed', reason: 'nothing ran' },
        {
          key: 'c',
          at: 3,
          state: 'failed',
          reason: 'no',
          detail: { path: 'ü.csv', size: 9007199254740993n },
          open: true,
        },
        { key: 'd', at: 4, state: 'ran', runId: 'r' },
      ]
      await occurrenceStore.note(NIGHTLY, { occurrences, cursor: 4 })
      await reopen()
      expect(await Promise.all(occurrences.map(({ key }) => occurrenceStore.find({ ...NIGHTLY, key })))).toEqual(
        occurrences.map((occurrence) => ({ ...NIGHTLY, ...occurrence })),
      )
      expect(await occurrenceStore.memory(NIGHTLY)).toEqual({ ...NIGHTLY, cursor: 4 })
      expect([await occurrenceStore.memory(HOURLY), await occurrenceStore.find({ ...HOURLY, key: 'a' })]).toEqual([
        undefined,
        undefined,
      ])
    })

    test('the cursor moves forward only', async () => {
      for (const cursor of [5, 3, 7, 6]) await occurrenceStore.note(NIGHTLY, { cursor })
      await occurrenceStore.note(NIGHTLY, { occurrences: [slot('a', 9)] })
      expect((await occurrenceStore.memory(NIGHTLY))?.cursor).toBe(7)
    })

    test('a cursor that is set back takes what was decided of later slots with it, but nothing that ran', async () => {
      const time = (minute: number) => `2026-11-22T07:${String(minute).padStart(2, '0')}:00.000Z`
      const at = (minute: number) => Date.parse(time(minute))
      const noted = (minute: number, state: Occurrence['state'], more: Partial<Noted> = {}): Noted => ({
        ...{ key: time(minute), at: at(minute), state },
        ...more,
      })
      const backfill = (minute: number, state: Occurrence['state'], more: Partial<Noted> = {}) =>
        noted(minute, state, { key: `${time(minute)}#2`, ...more })
      const occurrences = [
        ...[noted(1, 'missed'), noted(2, 'skipped')],
        ...[noted(3, 'missed'), noted(4, 'skipped', { reason: 'overlap' }), noted(5, 'failed'), noted(6, 'due')],
        ...[noted(7, 'ran', { runId: 'gone' }), noted(8, 'skipped', { reason: 'withdrawn' })],
        ...[noted(9, 'missed'), backfill(9, 'ran', { runId: 'gone' })],
        ...[noted(10, 'missed'), backfill(10, 'due')],
        ...[noted(11, 'missed'), backfill(11, 'failed')],
        ...[noted(12, 'failed', { key: 'a file' })],
      ]
      await occurrenceStore.note(NIGHTLY, { occurrences, cursor: at(20), times: 'daily' })
      await occurrenceStore.note(HOURLY, { occurrences: [noted(5, 'missed')], cursor: at(20) })
      await store.take(noted(13, 'due'), 'r')
      expect(await occurrenceStore.rewind(NIGHTLY, { from: at(19), to: at(2) })).toBeUndefined()
      expect(await occurrenceStore.rewind(OTHER, { from: at(20), to: at(2) })).toBeUndefined()
      expect((await occurrenceStore.memory(NIGHTLY))?.cursor).toBe(at(20))
      expect(await occurrenceStore.rewind(NIGHTLY, { from: at(20), to: at(2) })).toBe(5)
      await reopen()
      expect(await occurrenceStore.memory(NIGHTLY)).toEqual({ ...NIGHTLY, cursor: at(2), times: 'daily' })
      const left = await occurrenceStore.list({ ...NIGHTLY, limit: 99 })
      expect(left.map(({ key }) => key).toSorted()).toEqual(
        [
          ...[1, 2, 7, 8, 9, 10, 13].map(time),
          ...[9, 10, 11].map((minute) => `${time(minute)}#2`),
          'a file',
        ].toSorted(),
      )
      expect((await occurrenceStore.memory(HOURLY))?.cursor).toBe(at(20))
      expect(await occurrenceStore.list({ ...HOURLY, limit: 99 })).toHaveLength(1)
      // An occurrence without a record can be decided.
      expect(await occurrenceStore.note(NIGHTLY, { occurrences: [noted(3, 'due'), noted(7, 'due')] })).toEqual([
        time(3),
      ])
    })

    test('of those who set a cursor back at the same moment, one does', async () => {
      await occurrenceStore.note(NIGHTLY, { cursor: 9 })
      const back = (to: number) => occurrenceStore.rewind(NIGHTLY, { from: 9, to })
      const done = await Promise.all([back(1), back(2), back(3)])
      expect(done.filter((removed) => removed !== undefined)).toEqual([0])
      expect((await occurrenceStore.memory(NIGHTLY))?.cursor).toBe(done.indexOf(0) + 1)
    })

    test.each(['ran', 'skipped', 'missed', 'failed'] as const)('what has %s stays so', async (state) => {
      await occurrenceStore.note(NIGHTLY, { occurrences: [{ key: 'a', at: 1, state, reason: 'first' }] })
      const before = await occurrenceStore.find({ ...NIGHTLY, key: 'a' })
      for (const later of ['due', 'missed', 'skipped', 'failed'] as const) {
        await occurrenceStore.note(NIGHTLY, { occurrences: [{ key: 'a', at: 2, state: later, reason: 'later' }] })
      }
      expect(await store.take(slot('a', 1), 'run-2')).toBe(false)
      expect(await occurrenceStore.find({ ...NIGHTLY, key: 'a' })).toEqual(before)
    })

    test('what is due can be noted anew', async () => {
      await occurrenceStore.note(NIGHTLY, { occurrences: [{ ...slot('a', 1), detail: { size: 1 }, open: true }] })
      await occurrenceStore.note(NIGHTLY, { occurrences: [{ key: 'a', at: 2, state: 'skipped', reason: 'paused' }] })
      expect(await occurrenceStore.find({ ...NIGHTLY, key: 'a' })).toEqual({
        ...NIGHTLY,
        ...{ key: 'a', at: 2, state: 'skipped', reason: 'paused' },
      })
    })

    test('of those who add the same ones at the same moment, each key is told to one', async () => {
      await occurrenceStore.note(NIGHTLY, { occurrences: [slot('a', 1), { key: 'b', at: 2, state: 'missed' }] })
      const occurrences = ['a', 'b', 'c', 'd'].map((key, at) => slot(key, at))
      const add = () => occurrenceStore.note(NIGHTLY, { occurrences, known: 'keep' })
      const told = await Promise.all([add(), add(), add()])
      expect(told.flat().sort()).toEqual(['c', 'd'])
      // A due occurrence can be changed, and the answer says which one it was.
      const skipped = occurrences.map(({ key, at }) => ({ key, at, state: 'skipped' }) as const)
      expect([...(await occurrenceStore.note(NIGHTLY, { occurrences: skipped }))].sort()).toEqual(['a', 'c', 'd'])
      expect(await occurrenceStore.note(NIGHTLY, { occurrences: skipped })).toEqual([])
    })

    test('what was missed can be replaced on request, unless a backfill of the slot ran or is due', async () => {
      const occurrences: Noted[] = [
        ...(['missed', 'skipped', 'failed', 'due'] as const).map((state, at) => ({ key: state, at, state })),
        ...(['ran', 'due', 'failed'] as const).flatMap((state, index): Noted[] => [
          { key: `by ${state}`, at: 10 + index, state: 'missed' },
          { key: `by ${state}#2`, at: 10 + index, state },
        ]),
      ]
      await occurrenceStore.note(NIGHTLY, { occurrences })
      await store.take(slot('taken', 4), 'r')
      const again = [...occurrences, slot('taken', 4), slot('new', 5)].map(({ key, at }) => slot(key, at))
      const replaced = await occurrenceStore.note(NIGHTLY, { occurrences: again, known: 'missed' })
      expect(replaced.toSorted()).toEqual(['by failed', 'missed', 'new'])
      expect(keys(await occurrenceStore.due(NIGHTLY, 99))).toBe('missed due new by due#2 by failed')
      expect(await occurrenceStore.note(NIGHTLY, { occurrences: again, known: 'missed' })).toEqual([])
    })

    test('the cursor has the times that it was set for; one that is set without any keeps them', async () => {
      await occurrenceStore.note(NIGHTLY, { cursor: 1, times: 'daily' })
      await occurrenceStore.note(NIGHTLY, { cursor: 2 })
      await reopen()
      expect(await occurrenceStore.memory(NIGHTLY)).toEqual({ ...NIGHTLY, cursor: 2, times: 'daily' })
      await occurrenceStore.note(NIGHTLY, { cursor: 1, times: '' })
      await reopen()
      expect(await occurrenceStore.memory(NIGHTLY)).toEqual({ ...NIGHTLY, cursor: 2, times: '' })
    })

    test('a pause is remembered from its beginning, and apart from the cursor', async () => {
      await occurrenceStore.pause(NIGHTLY, 10)
      await occurrenceStore.pause(NIGHTLY, 20)
      await occurrenceStore.note(NIGHTLY, { cursor: 5 })
      await reopen()
      expect(await occurrenceStore.memories()).toEqual([{ ...NIGHTLY, cursor: 5, pausedAt: 10 }])
      await occurrenceStore.unpause(NIGHTLY)
      await occurrenceStore.unpause(HOURLY)
      expect(await occurrenceStore.memories()).toEqual([{ ...NIGHTLY, cursor: 5 }])
      await occurrenceStore.pause(NIGHTLY, 30)
      expect((await occurrenceStore.memory(NIGHTLY))?.pausedAt).toBe(30)
    })

    test('at most one run is made of an occurrence, also of one that nobody noted', async () => {
      await occurrenceStore.note(NIGHTLY, { occurrences: [{ ...slot('a', 1), detail: { path: 'x.csv' }, open: true }] })
      expect([await store.take(slot('a', 1), 'r1'), await store.take(slot('a', 1), 'r2')]).toEqual([true, false])
      expect([await store.take(slot('new', 2), 'r3'), await store.take(slot('new', 2), 'r4')]).toEqual([true, false])
      expect(await occurrenceStore.list({ limit: 9 })).toEqual([
        { ...NIGHTLY, key: 'new', at: 2, state: 'ran', outcome: 'running', runId: 'r3' },
        {
          ...NIGHTLY,
          key: 'a',
          at: 1,
          state: 'ran',
          outcome: 'running',
          runId: 'r1',
          detail: { path: 'x.csv' },
          open: true,
        },
      ])
    })

    test('what is due comes oldest first, of its trigger only', async () => {
      await occurrenceStore.note(NIGHTLY, { occurrences: [slot('c', 3), slot('a', 1), slot('b', 2), slot('b2', 2)] })
      await occurrenceStore.note(NIGHTLY, { occurrences: [{ key: 'x', at: 0, state: 'missed' }] })
      await occurrenceStore.note(HOURLY, { occurrences: [slot('h', 0)] })
      await store.take(slot('a', 1), 'r')
      expect(keys(await occurrenceStore.due(NIGHTLY, 9))).toBe('b b2 c')
      expect(keys(await occurrenceStore.due(NIGHTLY, 1))).toBe('b')
      expect(keys(await occurrenceStore.due(OTHER, 9))).toBe('')
      const byName = (a: { trigger: string }, b: { trigger: string }) => (a.trigger < b.trigger ? -1 : 1)
      expect((await occurrenceStore.triggersDue()).toSorted(byName)).toEqual([HOURLY, NIGHTLY])
    })

    test('lists are newest first and filtered', async () => {
      await occurrenceStore.note(NIGHTLY, {
        occurrences: [slot('n1', 1), { key: 'n3', at: 3, state: 'missed' }, slot('n5', 5)],
      })
      await occurrenceStore.note(HOURLY, { occurrences: [slot('h2', 2)] })
      await occurrenceStore.note(OTHER, { occurrences: [{ key: 'o4', at: 4, state: 'skipped' }] })
      const listed = [
        {},
        { limit: 2 },
        { pipeline: 'p' },
        { pipeline: 'p', trigger: 'hourly' },
        { trigger: 'nightly' },
        { state: ['missed', 'skipped'] as const },
        { from: 2, to: 4 },
        { pipeline: 'p', state: ['due'] as const, from: 2 },
        { pipeline: 'nobody' },
      ].map(async (filter) => keys(await occurrenceStore.list({ limit: 9, ...filter })))
      expect(await Promise.all(listed)).toEqual([
        'n5 o4 n3 h2 n1',
        'n5 o4',
        'n5 n3 h2 n1',
        'h2',
        'n5 o4 n3 n1',
        'o4 n3',
        'n3 h2',
        'n5 h2',
        '',
      ])
    })

    test('slots and files are told apart by their keys, however many there are of the others', async () => {
      const slots = [slot('2026-11-22T07:00:00.000Z', 1), slot('2026-11-22T07:00:00.000Z#2', 2)]
      const files = [slot('1763794800000-a1b2c3', 3), slot('ignored 2026-11-22T07:00:00.000Z', 4)]
      await occurrenceStore.note(NIGHTLY, { occurrences: [...slots, ...files] })
      const listed = async (kind: 'slot' | 'file') =>
        (await occurrenceStore.list({ kind, limit: 2 })).map(({ at }) => at)
      expect([await listed('slot'), await listed('file')]).toEqual([
        [2, 1],
        [4, 3],
      ])
    })

    test('a list says how the run of each occurrence stands, and a summary counts that', async () => {
      const ran = ['succeeded', 'partial', 'failed', 'cancelled', 'running']
      for (const [at, key] of ran.entries()) await store.take(slot(key, at), `run-${key}`)
      for (const status of ['succeeded', 'failed', 'cancelled'] as const) await store.end(`run-${status}`, status)
      await store.end('run-partial', 'succeeded', { failures: 2, failuresOf: 9 })
      await occurrenceStore.note(NIGHTLY, {
        occurrences: [
          { key: 'missed', at: 7, state: 'missed' },
          { key: 'removed', at: 8, state: 'ran', runId: 'gone' },
          { key: 'filed', at: 9, state: 'ran', runId: 'gone too', detail: { outcome: 'failed' } },
        ],
      })
      const listed = await occurrenceStore.list({ limit: 9 })
      expect(listed.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual([
        ...['filed failed', 'removed ran', 'missed missed'],
        ...ran.toReversed().map((outcome) => `${outcome} ${outcome}`),
      ])
      const [summary] = await occurrenceStore.summary(1)
      expect(summary).toMatchObject({
        recent: { ran: 6, missed: 1 },
        runs: { partial: 1, failed: 1, cancelled: 1, running: 1, ran: 2 },
      })
      expect(summary?.runs).not.toHaveProperty('succeeded')
    })

    test('an open occurrence is told once its run has ended, or it got none, until it is closed', async () => {
      const open = { open: true, detail: { path: 'in/a.csv' } } as const
      await occurrenceStore.note(NIGHTLY, {
        occurrences: [
          { ...slot('failed', 4), ...open },
          { ...slot('fine', 3), ...open },
          { ...slot('runs', 2), ...open },
          { ...slot('waits', 1), ...open },
          { key: 'refused', at: 5, state: 'failed', reason: 'empty', ...open },
          { key: 'nothing to do', at: 6, state: 'skipped' },
        ],
      })
      for (const key of ['failed', 'fine', 'runs']) await store.take({ ...slot(key, 1), ...open }, `run-${key}`)
      await store.end('run-failed', 'failed')
      await store.end('run-fine', 'succeeded')
      const told = async () =>
        (await occurrenceStore.ended(NIGHTLY, 9)).map(({ occurrence, status }) => `${occurrence.key} ${status}`)
      expect((await told()).sort()).toEqual(['failed failed', 'fine succeeded', 'refused undefined'])
      expect(await occurrenceStore.ended(NIGHTLY, 1)).toHaveLength(1)
      expect(await occurrenceStore.ended(HOURLY, 9)).toEqual([])

      await occurrenceStore.close({ ...NIGHTLY, key: 'fine' }, { path: 'done/a.csv' })
      await reopen()
      expect((await told()).sort()).toEqual(['failed failed', 'refused undefined'])
      const closed = await occurrenceStore.find({ ...NIGHTLY, key: 'fine' })
      expect(closed).toMatchObject({ state: 'ran', runId: 'run-fine', detail: { path: 'done/a.csv' } })
      expect(closed?.open).toBeUndefined()
    })

    test('what is old is forgotten, oldest first; what is due or open, or whose run is kept, is not', async () => {
      await occurrenceStore.note(NIGHTLY, {
        occurrences: [
          { key: 'older', at: 1, state: 'skipped' },
          { key: 'old', at: 2, state: 'missed' },
          slot('due', 3),
          { key: 'open', at: 4, state: 'failed', open: true },
          slot('runs', 5),
          slot('ran', 6),
          { key: 'removed', at: 7, state: 'ran', runId: 'gone' },
          { key: 'new', at: 9, state: 'skipped' },
        ],
      })
      for (const key of ['runs', 'ran']) await store.take(slot(key, key === 'ran' ? 6 : 5), `run-${key}`)
      await store.end('run-ran', 'succeeded')
      const left = async () => keys(await occurrenceStore.list({ limit: 9 }))
      expect(await occurrenceStore.forget({ before: 9, limit: 1 })).toBe(1)
      expect(await left()).toBe('new removed ran runs open due old')
      expect(await occurrenceStore.forget({ before: 9, limit: 9 })).toBe(2)
      expect(await left()).toBe('new ran runs open due')
    })

    test('the names of triggers, pipelines and keys are never mixed up', async () => {
      await occurrenceStore.note({ pipeline: 'a', trigger: 'b/c' }, { occurrences: [slot('d', 1)], cursor: 1 })
      expect(await occurrenceStore.find({ pipeline: 'a/b', trigger: 'c', key: 'd' })).toBeUndefined()
      expect(await occurrenceStore.memory({ pipeline: 'a/b', trigger: 'c' })).toBeUndefined()
    })
  })

  function slot(key: string, at: number): Noted {
    return { key, at, state: 'due' }
  }
}

/** The trigger whose occurrences `OccurrenceStoreUnderTest.take` takes. */
export const TAKEN = NIGHTLY
