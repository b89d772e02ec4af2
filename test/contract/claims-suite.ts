import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Claims } from '../../src/state/claims.ts'
import type { Journal, NewRun } from '../../src/state/journal.ts'
import type { Place, RunWriter } from './run-writer.ts'

interface Store {
  readonly journal: RunWriter & Partial<Pick<Journal, 'release'>>
  readonly claims: Claims
}

/** What every store promises about claims. It is opened for the runs of a service. */
export function claimsSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`claims: ${name}`, () => {
    let where: ReturnType<typeof place>
    let open: Store[]
    const storeAt = async (service = 'a') => {
      const opened = await where.open(service)
      open.push(opened)
      return opened
    }
    const begin = async ({ journal }: Store, runId: string) => {
      await journal.submit(newRun(runId))
      expect(await journal.claim(runId)).toBe(true)
    }
    const end = ({ journal }: Store, runId: string) =>
      journal.append(runId, [{ seq: 1, at: 1, record: { type: 'run.finished', status: 'failed' } }])
    const take = ({ claims }: Store, runId: string, step = 'activate', thing = 'activation "x"') =>
      claims.take(thing, { runId, step })

    beforeEach(() => {
      where = place()
      open = []
    })
    afterEach(async () => {
      await Promise.all(open.map(({ journal }) => journal.close()))
      await where.remove()
    })

    test('one step execution has it until it gives it back', async () => {
      const store = await storeAt()
      for (const runId of ['one', 'two']) await begin(store, runId)
      const first = await take(store, 'one')
      expect(first).toMatchObject({ state: 'taken' })
      for (const asking of [take(store, 'two'), take(store, 'one', 'activate[1]')]) {
        expect(await asking).toEqual({ state: 'held', by: { runId: 'one', step: 'activate' } })
      }
      expect(await take(store, 'two', 'activate', 'activation "y"')).toMatchObject({ state: 'taken' })
      const fence = first.state === 'taken' ? first.fence : ''
      await store.claims.release('activation "x"', { runId: 'two', step: 'activate' }, fence)
      expect(await take(store, 'two')).toMatchObject({ state: 'held' })
      await store.claims.release('activation "x"', { runId: 'one', step: 'activate' }, fence)
      expect(await take(store, 'two')).toMatchObject({ state: 'taken' })
    })

    test('of many that ask at the same moment, one gets it', async () => {
      const stores = [await storeAt(), await storeAt()]
      const runs = Array.from({ length: 10 }, (_, index) => ({ runId: `run-${index}`, store: stores[index % 2]! }))
      for (const { runId, store } of runs) await begin(store, runId)
      const claimed = await Promise.all(runs.map(({ runId, store }) => take(store, runId)))
      expect(claimed.filter(({ state }) => state === 'taken')).toHaveLength(1)
    })

    test('the same step execution gets it again, as after a crash', async () => {
      const store = await storeAt()
      await begin(store, 'one')
      await take(store, 'one')
      expect(await take(store, 'one')).toMatchObject({ state: 'taken' })
    })

    test('it ends with its run, and an ended run gets none', async () => {
      const store = await storeAt()
      for (const runId of ['one', 'two']) await begin(store, runId)
      await take(store, 'one')
      await end(store, 'one')
      expect(await take(store, 'two')).toMatchObject({ state: 'taken' })
      await expect(take(store, 'one', 'activate', 'another thing')).rejects.toMatchObject({ code: 'run-taken-over' })
    })

    test('who lost its run gives nothing back', async () => {
      const [before, after] = [await storeAt(), await storeAt()]
      await begin(before, 'one')
      const first = await take(before, 'one')
      const fence = first.state === 'taken' ? first.fence : ''
      await before.journal.release?.(['one'])
      expect(await after.journal.claim('one')).toBe(true)
      await take(after, 'one')
      await before.claims.release('activation "x"', { runId: 'one', step: 'activate' }, fence)
      await begin(after, 'two')
      expect(await take(after, 'two')).toEqual({ state: 'held', by: { runId: 'one', step: 'activate' } })
    })

    test('services have their own', async () => {
      const [here, there] = [await storeAt('a'), await storeAt('b')]
      await begin(here, 'one')
      await begin(there, 'two')
      expect(await take(here, 'one')).toMatchObject({ state: 'taken' })
      expect(await take(there, 'two')).toMatchObject({ state: 'taken' })
    })
  })
}

function newRun(runId: string): NewRun {
  const record = {
    type: 'run.submitted',
    ...{ pipeline: 'demo', file: 'demo.yaml', folder: '/', text: 'version: 1', digest: 'd' },
    ...{ inputs: {}, trigger: {} },
  } as const
  return { runId, at: 1, record }
}
