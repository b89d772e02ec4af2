import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ApiCall } from '../../src/console/server/call.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { deploymentHandlers } from '../../src/console/server/handlers/deployments.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { commitOf, keepRelease } from './support/keep-release.ts'

const CALL = { turn: async () => undefined } as unknown as ApiCall
const [A, B, C] = [commitOf('aaaa'), commitOf('bbbb'), commitOf('cccc')]

/** A place with these deployments, newest first. Only the releases of these commits still exist. */
async function placeWith(commits: readonly string[], kept: readonly string[] = commits): Promise<ConsoleDeps> {
  const shared = tempFolder()
  for (const commit of new Set(kept))
    await keepRelease(join(shared, 'releases'), commit, { [`${commit[0]}.yaml`]: 'x' })
  const all = commits.map((commit, at) => ({
    ...{ id: commits.length - at, commit, act: 'deploy', at: commits.length - at, subject: 's', author: 'a' },
    ...{ committedAt: 1, pipelines: 1 },
  }))
  const deployments = {
    list: async (limit: number) => all.slice(0, limit),
    standing: async () => ({ turn: 1, current: all[0], orders: {} }),
  }
  return { settings: { shared, deployment: { url: 'u', ref: 'r', path: '' } }, state: { deployments } } as never
}

async function changes(deps: ConsoleDeps, commit: string, against?: string) {
  const found = await deploymentHandlers['deployment.changes'](deps, { commit, against }, CALL)
  return [found.commit.commit, found.against?.commit, ...found.files.map(({ change, file }) => `${change} ${file}`)]
}

test('the deployments are listed with whether their releases are kept, the newest fifty', async () => {
  const others = Array.from({ length: 60 }, (_, at) => commitOf(`${1000 + at}`))
  const deps = await placeWith([B, A, ...others], [B])
  const { deployed, deployments } = await deploymentHandlers['deployment.get'](deps)
  expect(deployed?.commit).toBe(B)
  expect(deployments.slice(0, 2).map(({ commit, kept }) => [commit, kept])).toEqual([
    [B, true],
    [A, false],
  ])
  expect(deployments).toHaveLength(50)
})

test('a deployment in use whose files are gone is shown with the folder and the reason of the last try', async () => {
  const deps = await placeWith([B, A], [A])
  const { standing } = deps.state.deployments
  const missing = async (lost?: { readonly commit: string; readonly code: string; readonly message: string }) => {
    const look = { state: 'current', since: 1, lookedAt: 1, lost } as const
    Object.assign(deps.state.deployments, { standing: async () => ({ ...(await standing()), look }) })
    const { missing, remote } = await deploymentHandlers['deployment.get'](deps)
    expect(remote).not.toHaveProperty('lost')
    return missing
  }
  const folder = join(deps.settings.shared, 'releases', B)
  const why = { code: 'git-commit-gone', message: 'm' }
  expect(await missing()).toEqual({ folder })
  expect(await missing({ commit: B, ...why })).toEqual({ folder, ...why })
  expect(await missing({ commit: A, ...why })).toEqual({ folder })
})

test.each([
  ['the one before', 'cccc', undefined, [C, B, 'removed b.yaml', 'added c.yaml']],
  ['another one that is named', 'cccc', 'aaaa', [C, A, 'removed a.yaml', 'added c.yaml']],
  ['a later one that is named', 'aaaa', 'cccc', [A, C, 'added a.yaml', 'removed c.yaml']],
  ['nothing, if it is the first', 'aaaa', undefined, [A, undefined, 'added a.yaml']],
])('a deployment is compared with %s', async (_what, commit, against, expected) => {
  expect(await changes(await placeWith([C, B, A]), commit, against)).toEqual(expected)
})

test('one that was deployed again is compared with the last one of another commit', async () => {
  expect(await changes(await placeWith([B, B, A, B]), 'bbbb')).toEqual([B, A, 'removed a.yaml', 'added b.yaml'])
})

test.each([
  ['its own', [B, A], [A], 'bbbb000'],
  ['the one before', [B, A], [B], 'aaaa000'],
  ['both', [B, A], [], 'bbbb000 and aaaa000'],
  ['the only one', [B], [], 'bbbb000'],
])('nothing is compared if a release is gone, and the error says which: %s', async (_what, commits, kept, gone) => {
  const compared = changes(await placeWith(commits, kept), 'bbbb')
  await expect(compared).rejects.toThrow(`the release of ${gone} is no longer kept`)
})

test('a commit is found among a thousand deployments', async () => {
  const many = Array.from({ length: 1001 }, (_, at) => commitOf(`${1_000_000 + at}`))
  const deps = await placeWith(many, many.slice(997))
  expect(await changes(deps, '1000998', '1000999')).toMatchObject([many[998], many[999]])
  await expect(changes(deps, '1001000')).rejects.toThrow('1001000')
})
