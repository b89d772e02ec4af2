import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'remote'> & { readonly journal: RunWriter }

const DROP = { pipeline: 'p', trigger: 'drop' }
const OTHER = { pipeline: 'p', trigger: 'other' }

/** What every store promises about remote files. */
export function remoteLedgerSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`remote ledger: ${name}`, () => {
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
    const file = (ticket: string, path = 'in/a.csv', hint = '3 1000') =>
      ({ ...DROP, ticket, source: 'partner', path, hint }) as const
    const tickets = async (ref = DROP) => (await store.remote.files(ref)).map(({ ticket }) => ticket)

    test('a file is begun once, while it looks the same', async () => {
      const both = await Promise.all([store.remote.begin(file('1-a')), store.remote.begin(file('1-b'))])
      expect(both.filter(Boolean)).toHaveLength(1)
      expect(await store.remote.begin(file('2-a', 'in/a.csv', '4 1000'))).toBe(true)
      expect(await store.remote.begin(file('2-b', 'in/b.csv'))).toBe(true)
      expect(await store.remote.begin({ ...file('2-c'), ...OTHER })).toBe(true)
      expect(await store.remote.begin({ ...file('2-d'), source: 'lake' })).toBe(true)
      expect(await store.remote.triggers()).toEqual([DROP, OTHER])
    })

    test('what was read of it and that it is kept survive a restart', async () => {
      await store.remote.begin(file('2-b', 'in/b.csv'))
      await store.remote.begin(file('1-a'))
      await store.remote.note('1-a', { sha256: 'abc' })
      await store.remote.note('1-a', { sha256: 'abc', key: 'abc#2' })
      await store.remote.keep('1-a')
      await store.journal.close()
      store = await where.open('a')
      expect(await store.remote.files(DROP)).toEqual([
        { ...file('1-a'), state: 'kept', sha256: 'abc', key: 'abc#2' },
        { ...file('2-b', 'in/b.csv'), state: 'open' },
      ])
      expect(await store.remote.begin(file('3-c'))).toBe(false)
    })

    test('what is forgotten may begin again', async () => {
      for (const ticket of ['1-a', '2-b', '3-c']) await store.remote.begin(file(ticket, `in/${ticket}`))
      await store.remote.remove([])
      await store.remote.remove(['1-a', '3-c', 'unknown'])
      expect(await tickets()).toEqual(['2-b'])
      expect(await store.remote.begin(file('4-d', 'in/1-a'))).toBe(true)
    })

    test('a set is begun once, with its files, its manifest and what it lacks', async () => {
      const members = ['in/a_1.csv', 'in/b_1.csv'].map((path) => ({ path, hint: '3 1000' }))
      const set = { name: '1', files: members, manifest: { path: 'in/1.done', hint: '0 1000' }, lack: 'one is missing' }
      expect(await store.remote.begin({ ...file('1-a', 'in/1', 'abc'), set })).toBe(true)
      expect(await store.remote.begin({ ...file('2-b', 'in/1', 'abc'), set })).toBe(false)
      expect(await store.remote.files(DROP)).toEqual([{ ...file('1-a', 'in/1', 'abc'), state: 'open', set }])
    })

    test('the last look of each trigger is known, until the trigger is gone', async () => {
      const look = { ...DROP, source: 'partner', path: 'in/*.csv', at: 10, reachedAt: 10, waiting: 2 }
      const sets = [{ name: '1', since: 5, missing: ['b_1.csv'], until: 9 }]
      const problem = { code: 'source-unreachable', message: 'gone', hint: 'check it', since: 5 }
      await store.remote.looked(look)
      await store.remote.looked({ ...look, at: 20, waiting: 0, sets, problem })
      await store.remote.looked({ ...look, ...OTHER, reachedAt: undefined })
      for (const ticket of ['1-a', '2-b', '3-c']) await store.remote.begin(file(ticket, `in/${ticket}`))
      await store.remote.keep('1-a')
      await store.journal.close()
      store = await where.open('a')
      expect(await store.remote.looks()).toEqual([
        { ...look, at: 20, waiting: 0, sets, problem, open: 2 },
        { ...look, ...OTHER, reachedAt: undefined, open: 0 },
      ])
      await store.remote.keepLooks([OTHER])
      expect(await store.remote.looks()).toMatchObject([OTHER])
    })
  })
}
