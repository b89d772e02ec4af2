import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DeploymentNews, RemoteLook } from '../../src/state/deployments.ts'
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
const LOOK: RemoteLook = { state: 'current', since: 1, lookedAt: 10, commit: A }
const NEWS: DeploymentNews = { what: 'refused', at: 10, title: 'refused', details: ['p.yaml:2:7'], key: `refused/${B}` }

/** What every store promises of deployments. */
export function deploymentsSuite(name: string, place: () => Place<Store, [service: string]>): void {
  describe(`deployments: ${name}`, () => {
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

    test('the newest one is in use, also after a restart, with what the look found', async () => {
      expect([await store.deployments.current(), await store.deployments.look()]).toEqual([undefined, undefined])
      expect(await store.deployments.deploy(of(A), { after: 0, look: LOOK })).toBe(true)
      expect(await store.deployments.deploy(of(B), { after: 1, look: { ...LOOK, commit: B } })).toBe(true)
      await store.journal.close()
      store = await where.open('a')
      expect(await store.deployments.current()).toMatchObject({ id: 2, act: 'deploy', ...of(B) })
      expect((await store.deployments.list(10)).map(({ commit }) => commit)).toEqual([B, A])
      expect(await store.deployments.look()).toEqual({ ...LOOK, commit: B })
    })

    test('of two processes that deploy at once one does, and the other changes nothing', async () => {
      const { deployments } = store
      const both = [A, B].map((commit) => deployments.deploy(of(commit), { after: 0, look: { ...LOOK, commit } }))
      expect((await Promise.all(both)).toSorted()).toEqual([false, true])
      expect(await deployments.list(10)).toHaveLength(1)
      const [one] = await deployments.list(1)
      expect(await deployments.look()).toMatchObject({ commit: one?.commit })
      expect(await deployments.rollBack(of(A), { after: 0, skips: B }, ANA)).toBe(false)
      expect(await store.audit.list({ limit: 5 })).toEqual([])
    })

    test('a roll back skips a commit until the next deployment, and is audited', async () => {
      const { deployments } = store
      await deployments.deploy(of(B), { after: 0, look: LOOK })
      expect(await deployments.rollBack(of(A), { after: 1, skips: B }, ANA)).toBe(true)
      expect(await deployments.current()).toMatchObject({ act: 'rollBack', commit: A, ...ANA })
      expect(await deployments.orders()).toEqual({ skipped: B })
      expect(await store.audit.list({ limit: 5 })).toMatchObject(
        [{ act: 'deploy.rollback', subject: A, detail: `skips ${B}`, by: 'Ana', reason: undefined }].map(
          ({ reason: _, ...entry }) => entry,
        ),
      )
      await deployments.deploy(of(B, 20), { after: 2, look: LOOK })
      expect((await deployments.orders()).skipped).toBeUndefined()
    })

    test('they can be paused, resumed and asked for, each audited', async () => {
      const { deployments } = store
      expect(await deployments.resume(ANA)).toBe(false)
      await deployments.pause(7, ANA)
      await deployments.ask(8, ANA)
      expect(await deployments.orders()).toEqual({ paused: { at: 7, ...ANA }, askedAt: 8 })
      expect(await deployments.resume(ANA)).toBe(true)
      expect(await deployments.orders()).toEqual({ askedAt: 8 })
      expect((await store.audit.list({ limit: 5 })).map(({ act }) => act)).toEqual([
        'deploy.resume',
        'deploy.now',
        'deploy.pause',
      ])
    })

    test('news are recorded with what caused them while somebody listens, and only then', async () => {
      const { deployments, outbox } = store
      await deployments.noteLook({ ...LOOK, state: 'refused' }, NEWS)
      expect(await outbox.events(10)).toEqual([])
      await outbox.begin()
      await deployments.noteLook({ ...LOOK, state: 'refused' }, NEWS)
      await deployments.deploy(of(A), { after: 0, look: LOOK, news: { ...NEWS, what: 'recovered' } })
      await deployments.deploy(of(A), { after: 0, look: LOOK, news: NEWS })
      expect(await outbox.events(10)).toMatchObject([
        { kind: 'deployment', news: NEWS },
        { kind: 'deployment', news: { what: 'recovered' } },
      ])
    })
  })
}
