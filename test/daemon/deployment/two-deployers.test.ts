import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createLook } from '../../../src/daemon/deployment/deployer.ts'
import type { Release } from '../../../src/daemon/deployment/read-release.ts'
import { removeUnfinished } from '../../../src/daemon/deployment/release-folder.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { GitStore } from '../../../src/platform/git/git-store.ts'
import type { State } from '../../../src/state/state.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ANA = { by: 'Ana' }
const idOf = (text: string) => createHash('sha1').update(text).digest('hex')

/** A repository in memory. Each commit has one document. */
function remote() {
  const texts: string[] = []
  const commits = () => texts.map(idOf)
  const push = (isGood: boolean) => {
    const text = `version: 1\nname: ${isGood ? 'p' : '[p'}\ndescription: "${texts.length}"\nsteps: [{ id: a, uses: groups.list }]\n`
    texts.push(text)
    return idOf(text)
  }
  const textOf = (commit: string) => texts[commits().indexOf(commit)] ?? ''
  const store: GitStore = {
    look: async () => commits().at(-1) ?? '',
    fetch: async () => undefined,
    facts: async () => ({ subject: 's', author: 'a', at: 1 }),
    tree: async (commit) => [{ mode: '100644', id: commit, size: textOf(commit).length, path: 'p.yaml' }],
    async blobs(ids, onBlob) {
      for (const [index, id] of ids.entries()) onBlob(index, Buffer.from(textOf(id)))
    },
    requireSigned: async () => undefined,
    forget: () => undefined,
  }
  return { push, commits, store }
}

/** A process that believes it is the keeper. It looks when the test says so. */
function deployer(store: GitStore, { deployments }: State, releases: string) {
  let inUse: Release | undefined
  return createLook(
    {
      ...{ store, releases, deployments, signedBy: undefined, everyMs: 1, clock: systemClock, random: () => 0.5 },
      rules: { read: readNewPipeline, checkFile: () => undefined, workdir: undefined, path: '' },
      log: pino({ level: 'silent' }),
      inUse: () => inUse,
      deployed: (_id, release) => {
        inUse = release
      },
      prune: async () => undefined,
    },
    new AbortController().signal,
  )
}

test('two processes that both deploy, however they interleave: nothing refused, nothing backwards, nothing while paused', async () => {
  const pushes = fc.array(fc.constantFrom('good', 'bad', 'pause', 'takeOver'), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), pushes, async (turns, acts) => {
      const place = sqlitePlace()
      const state = await place.open('a')
      await state.outbox.begin()
      const releases = join(tempFolder(), 'releases')
      const { push, commits, store } = remote()
      const bad = new Set<string>()
      const slow: GitStore = {
        ...store,
        look: turns.scheduleFunction(store.look),
        fetch: turns.scheduleFunction(store.fetch),
        blobs: turns.scheduleFunction(store.blobs),
      }
      push(true)
      const looks = [0, 1].map(async () => {
        const look = deployer(slow, state, releases)
        // A process whose files were removed by another keeper fails and looks again.
        for (let each = 0; each < 3; each++) await look().catch(() => false)
      })
      const people = async () => {
        for (const act of acts) {
          await turns.schedule(Promise.resolve())
          if (act === 'good') push(true)
          if (act === 'bad') bad.add(push(false))
          if (act === 'takeOver') removeUnfinished(releases)
          if (act !== 'pause') continue
          await state.deployments.pause(1, ANA)
          const before = await state.deployments.list(100)
          await turns.schedule(Promise.resolve())
          expect(await state.deployments.list(100)).toEqual(before)
          await state.deployments.resume(ANA)
        }
      }
      await turns.waitFor(Promise.all([...looks, people()]))
      const head = push(true)
      await deployer(store, state, releases)()

      const deployed = (await state.deployments.list(100)).map(({ commit }) => commit).reverse()
      const order = deployed.map((commit) => commits().indexOf(commit))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
      expect(new Set(deployed).size).toBe(deployed.length)
      expect(deployed.filter((commit) => bad.has(commit))).toEqual([])
      expect(deployed.at(-1)).toBe(head)
      for (const commit of deployed) {
        expect(existsSync(join(releases, commit, '.manifest.json'))).toBe(true)
        expect(idOf(readFileSync(join(releases, commit, 'p.yaml'), 'utf8'))).toBe(commit)
      }
      const told = (await state.outbox.events(100)).flatMap((event) =>
        event.kind === 'deployment' && event.news.what === 'refused' ? [event.news.key] : [],
      )
      expect(new Set(told).size).toBe(told.length)
      removeUnfinished(releases)
      expect(readdirSync(releases).filter((name) => name.startsWith('.'))).toEqual([])
      await state.close()
      await place.remove()
    }),
    { numRuns: 12 },
  )
})
