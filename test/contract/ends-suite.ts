import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FinalStatus, Seed } from '../../src/core/run.ts'
import type { NewRun } from '../../src/state/journal.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'ends' | 'occurrences' | 'runs'> & { readonly journal: RunWriter }

const NEXT = { pipeline: 'next', trigger: 'next' }
const OTHER = { pipeline: 'other', trigger: 'next' }

/** What every store promises about the ends of runs. */
export function endsSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`ends of runs: ${name}`, () => {
    let where: ReturnType<typeof place>
    let store: Store

    beforeEach(async () => {
      where = place()
      store = await where.open('a')
    })
    afterEach(async () => {
      await store.journal.close()
      await where.remove()
    })
    async function begin(runId: string, pipeline: string, more: Partial<NewRun['record']> = {}, slot?: string) {
      const record = {
        ...({ type: 'run.submitted', pipeline, file: 'p.yaml', folder: '/', text: '', digest: '' } as const),
        ...{ inputs: {}, trigger: { kind: slot === undefined ? 'manual' : 'schedule' } },
        ...more,
      }
      const occurrence = slot === undefined ? undefined : { trigger: 'nightly', key: slot, at: 1 }
      await store.journal.submit({ runId, at: 1, record, occurrence })
    }
    const end = (runId: string, at: number, status: FinalStatus = 'succeeded') =>
      store.journal.append(runId, [{ seq: 1, at, record: { type: 'run.finished', status } }])
    const run = async (runId: string, pipeline: string, at: number, more: Partial<NewRun['record']> = {}) => {
      await begin(runId, pipeline, more)
      await end(runId, at)
    }
    const open = async (ref = NEXT) => (await store.ends.open(ref)).map(({ runId }) => runId)
    const set = (key: string, members: readonly string[], mark?: string) => ({
      members: members.map((runId) => ({ runId, origin: runId, mark })),
      occurrence: { key, at: 9, state: 'due' as const },
    })

    test('are noted from the moment on that a trigger follows a pipeline, also after a restart', async () => {
      await run('before', 'a', 5)
      await store.ends.follow(NEXT, ['a', 'b'])
      await store.ends.follow(OTHER, ['a'])
      await begin('r1', 'a', {}, '2026-11-28T02:00:00.000Z')
      await end('r1', 20, 'failed')
      await store.journal.close()
      store = await where.open('a')
      await run('r2', 'b', 10)
      await run('r3', 'c', 30)
      expect(await store.ends.waiting()).toEqual(expect.arrayContaining([NEXT, OTHER]))
      expect(await store.ends.open(NEXT)).toEqual([
        {
          ...{ runId: 'r2', pipeline: 'b', at: 10, status: 'succeeded', isOurs: true },
          ...{ origin: 'r2', startedBy: 'manual', occurrence: undefined, isCounted: false },
        },
        {
          ...{ runId: 'r1', pipeline: 'a', at: 20, status: 'failed', isOurs: true },
          ...{ origin: 'r1', startedBy: 'schedule', isCounted: false },
          occurrence: {
            ...{ pipeline: 'a', trigger: 'nightly', key: '2026-11-28T02:00:00.000Z', at: 1, state: 'ran', runId: 'r1' },
          },
        },
      ])
      expect(await open(OTHER)).toEqual(['r1'])
    })

    test('of a pipeline that a trigger follows no longer go, and those that have a set stay', async () => {
      await store.ends.follow(NEXT, ['a', 'b'])
      await run('r1', 'a', 1)
      await run('r2', 'b', 2)
      await run('r3', 'a', 3)
      await store.ends.account(NEXT, { sets: [set('k', ['r1', 'r2'])], others: [] })
      await store.ends.follow(NEXT, ['b', 'c'])
      await run('r4', 'a', 4)
      await run('r5', 'c', 5)
      expect(await open()).toEqual(['r5'])
      expect(await store.ends.followers()).toEqual([NEXT])
      await store.ends.follow(NEXT, [])
      expect([await store.ends.followers(), await open()]).toEqual([[], []])
      expect(await store.ends.after('r1')).toMatchObject([{ ...NEXT, key: 'k' }])
    })

    test('make a set once: one whose end has another set, or does not count, is left out whole', async () => {
      await store.ends.follow(NEXT, ['a', 'b'])
      for (const [index, pipeline] of ['a', 'b', 'a', 'b', 'a'].entries()) await run(`r${index}`, pipeline, index)
      await store.ends.account(NEXT, { sets: [set('k1', ['r0', 'r1'], 'slot 1')], others: ['r4'] })
      await store.ends.account(NEXT, { sets: [set('k2', ['r2', 'r1']), set('k3', ['r2', 'r3'])], others: ['r0'] })
      await store.ends.account(NEXT, { sets: [set('k1', ['r0', 'r1'])], others: [] })
      expect(await open()).toEqual([])
      expect((await store.occurrences.due(NEXT, 9)).map(({ key }) => key)).toEqual(['k1', 'k3'])
      expect(await store.ends.taken(NEXT, ['slot 1', 'slot 2'])).toEqual([
        { mark: 'slot 1', key: 'k1', pipeline: 'a' },
        { mark: 'slot 1', key: 'k1', pipeline: 'b' },
      ])
      expect(await store.ends.after('r0')).toMatchObject([{ ...NEXT, key: 'k1' }])
    })

    test('two processes that make sets of the same ends at once make one of each', async () => {
      const second = await where.open('a')
      try {
        await store.ends.follow(NEXT, ['a', 'b', 'c'])
        for (let round = 0; round < 5; round++) {
          for (const pipeline of ['a', 'b', 'c']) await run(`${pipeline}${round}`, pipeline, round)
          const [a, b, c] = [`a${round}`, `b${round}`, `c${round}`]
          await Promise.all([
            store.ends.account(NEXT, { sets: [set(`${round} ab`, [a, b])], others: [] }),
            second.ends.account(NEXT, { sets: [set(`${round} cb`, [c, b])], others: [] }),
          ])
        }
        expect(await store.occurrences.due(NEXT, 99)).toHaveLength(5)
        expect(await open()).toHaveLength(5)
      } finally {
        await second.journal.close()
      }
    })

    test('know the first run of what they repeat, and whether one of the same origin has a set', async () => {
      await store.ends.follow(NEXT, ['a'])
      await begin('r1', 'a', {}, '2026-11-28T02:00:00.000Z')
      await end('r1', 1, 'failed')
      const seedOf = (runId: string): { seed: Seed } => ({ seed: { runId, kept: [] } as unknown as Seed })
      await run('r2', 'a', 2, seedOf('r1'))
      await run('r3', 'a', 3, seedOf('r2'))
      await run('r4', 'a', 4, seedOf('gone'))
      const slot = { key: '2026-11-28T02:00:00.000Z' }
      const first = { origin: 'r1', startedBy: 'schedule', occurrence: slot, isCounted: false }
      expect(await store.ends.open(NEXT)).toMatchObject([
        { runId: 'r1', ...first },
        { runId: 'r2', ...first },
        { runId: 'r3', ...first },
        { runId: 'r4', origin: 'gone', startedBy: '', occurrence: undefined },
      ])
      const member = { runId: 'r2', origin: 'r1', mark: undefined }
      const occurrence = { key: 'k', at: 9, state: 'due' } as const
      await store.ends.account(NEXT, { sets: [{ members: [member], occurrence }], others: ['r1'] })
      expect(await store.ends.open(NEXT)).toMatchObject([
        { runId: 'r3', isCounted: true },
        { runId: 'r4', isCounted: false },
      ])
    })

    test('of runs at another service are told apart', async () => {
      await store.ends.follow(NEXT, ['a'])
      const elsewhere = await where.open('b')
      try {
        const record = {
          type: 'run.submitted',
          pipeline: 'a',
          file: 'p.yaml',
          folder: '/',
          text: '',
          digest: '',
        } as const
        await elsewhere.journal.submit({ runId: 'r1', at: 1, record: { ...record, inputs: {}, trigger: {} } })
        await elsewhere.journal.append('r1', [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'succeeded' } }])
      } finally {
        await elsewhere.journal.close()
      }
      expect(await store.ends.open(NEXT)).toMatchObject([{ runId: 'r1', isOurs: false }])
    })

    test('are forgotten with their occurrences, and those of triggers that are gone after the same time', async () => {
      await store.ends.follow(NEXT, ['a'])
      for (const [index, at] of [10, 20, 5000].entries()) await run(`r${index}`, 'a', at)
      const occurrence = { key: 'k', at: 10, state: 'missed' } as const
      const member = { runId: 'r0', origin: 'r0', mark: undefined }
      await store.ends.account(NEXT, { sets: [{ members: [member], occurrence }], others: [] })
      await store.runs.remove(['r1'], 1000)
      expect(await store.ends.open(NEXT)).toMatchObject([{ runId: 'r1', status: undefined }, { runId: 'r2' }])
      expect(await store.occurrences.forget({ before: 1000, limit: 9 })).toBe(1)
      expect(await open()).toEqual(['r2'])
      expect(await store.ends.after('r0')).toEqual([])
    })
  })
}
