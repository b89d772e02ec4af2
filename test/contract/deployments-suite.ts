import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DeploymentNews, RepositoryLook } from '../../src/state/deployments.ts'
import type { State } from '../../src/state/state.ts'
import type { Place, RunWriter } from './run-writer.ts'

type Store = Pick<State, 'deployments' | 'outbox' | 'audit'> & { readonly journal: RunWriter }

const ANA = { by: 'Ana', comment: 'bad list' }
const [A, B] = ['a', 'b'].map((letter) => letter.repeat(40)) as [string, string]
const of = (commit: string, at = 10) => ({
  commit,
  at,
  subject: `of ${commit[0]}`,
  author: 'Ben',
  committedAt: 5,
  pipelines: 2,
})
const LOOK: RepositoryLook = { state: 'current', since: 1, lookedAt: 10, commit: A }
const NEWS: DeploymentNews = { what: 'refused', at: 10, title: 'refused', details: ['p.yaml:2:7'], key: `refused/${B}` }

/** What every store promises about deployments. */
export function deploymentsSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`deployments: ${name}`, () => {
    let where: ReturnType<typeof place>
    let store: Store

    const deploy = async (one: ReturnType<typeof of>, look: RepositoryLook) =>
      store.deployments.deploy(one, { after: await store.deployments.standing(), look })

    beforeEach(async () => {
      where = place()
      store = await where.open('a')
    })
    afterEach(async () => {
      await store.journal.close()
      await where.remove()
    })

    test('the newest one is in use, also after a restart, with what the look found', async () => {
      const { deployments } = store
      expect(await deployments.standing()).toEqual({ turn: 0, orders: {} })
      expect(await deploy(of(A), LOOK)).toBe(true)
      expect(await deploy(of(B), { ...LOOK, commit: B })).toBe(true)
      await store.journal.close()
      store = await where.open('a')
      expect(await store.deployments.current()).toMatchObject({ id: 2, act: 'deploy', ...of(B) })
      expect((await store.deployments.list(10)).map(({ commit }) => commit)).toEqual([B, A])
      expect((await store.deployments.standing()).look).toEqual({ ...LOOK, commit: B })
    })

    test('of two processes that look at once one records it, and the other changes nothing and tells nobody', async () => {
      const { deployments, outbox } = store
      await outbox.begin()
      const after = await deployments.standing()
      const both = [A, B].map((commit) => deployments.deploy(of(commit), { after, look: { ...LOOK, commit } }))
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      const [one, ...others] = await deployments.list(10)
      expect(others).toEqual([])
      expect(await deployments.standing()).toMatchObject({ turn: 1, look: { commit: one?.commit } })
      expect(await deployments.rollBack(of(A), { after: 0, skips: B }, ANA)).toBe(false)
      expect(await store.audit.list({ limit: 5 })).toEqual([])
      const next = await deployments.standing()
      const refused = [A, B].map(() => deployments.noteLook({ ...LOOK, state: 'refused' }, { after: next, news: NEWS }))
      expect((await Promise.all(refused)).toSorted()).toEqual([false, true])
      expect(await outbox.events(10)).toHaveLength(1)
    })

    test('a look that was slow overtakes no newer look, no pause and no roll back', async () => {
      const { deployments } = store
      await deploy(of(A), LOOK)
      const changes = [
        // Meanwhile the branch went back, and another process has noticed that.
        async () => deployments.noteLook(LOOK, { after: await deployments.standing() }),
        () => deployments.pause(7, ANA),
        () => deployments.rollBack(of(A), { after: 1, skips: B }, ANA),
      ]
      for (const change of changes) {
        const after = await deployments.standing()
        await change()
        expect(await deployments.deploy(of(B), { after, look: { ...LOOK, commit: B } })).toBe(false)
        expect(await deployments.noteLook({ ...LOOK, commit: B }, { after })).toBe(false)
      }
      expect((await deployments.list(10)).map(({ commit }) => commit)).toEqual([A, A])
      expect((await deployments.standing()).look).toEqual(LOOK)
    })

    test('a roll back skips a commit until the next deployment, and is audited', async () => {
      const { deployments } = store
      await deploy(of(B), LOOK)
      expect(await deployments.rollBack(of(A), { after: 1, skips: B }, ANA)).toBe(true)
      expect(await deployments.current()).toMatchObject({ act: 'rollBack', commit: A, ...ANA })
      expect((await deployments.standing()).orders).toEqual({ skipped: B })
      expect(await store.audit.list({ limit: 5 })).toMatchObject(
        [{ act: 'deploy.rollback', subject: A, detail: `skips ${B}`, by: 'Ana', reason: undefined }].map(
          ({ reason: _, ...entry }) => entry,
        ),
      )
      expect(await deployments.rollBack(of(A, 15), { after: 2, skips: undefined }, ANA)).toBe(true)
      expect((await deployments.standing()).orders).toEqual({ skipped: B })
      expect((await store.audit.list({ limit: 1 }))[0]?.detail).toBeUndefined()
      await deploy(of(B, 20), LOOK)
      expect((await deployments.standing()).orders.skipped).toBeUndefined()
    })

    test('they can be paused, resumed and asked for, each audited', async () => {
      const { deployments } = store
      expect(await deployments.resume(ANA)).toBe(false)
      await deployments.pause(7, ANA)
      await deployments.ask(8, ANA)
      expect((await deployments.standing()).orders).toEqual({ paused: { at: 7, ...ANA }, askedAt: 8 })
      expect(await deployments.resume(ANA)).toBe(true)
      expect((await deployments.standing()).orders).toEqual({ askedAt: 8 })
      expect((await store.audit.list({ limit: 5 })).map(({ act }) => act)).toEqual([
        'deploy.resume',
        'deploy.now',
        'deploy.pause',
      ])
    })

    test('news are recorded with what caused them while somebody listens, and only then', async () => {
      const { deployments, outbox } = store
      const refused = { ...LOOK, state: 'refused' } as const
      await deployments.noteLook(refused, { after: await deployments.standing(), news: NEWS })
      expect(await outbox.events(10)).toEqual([])
      await outbox.begin()
      await deployments.noteLook(refused, { after: await deployments.standing(), news: NEWS })
      const after = await deployments.standing()
      await deployments.deploy(of(A), { after, look: LOOK, news: { ...NEWS, what: 'recovered' } })
      await deployments.deploy(of(A), { after, look: LOOK, news: NEWS })
      expect(await outbox.events(10)).toMatchObject([
        { kind: 'deployment', news: NEWS },
        { kind: 'deployment', news: { what: 'recovered' } },
      ])
    })
  })
}
