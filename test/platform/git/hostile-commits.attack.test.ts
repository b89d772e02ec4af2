import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeTree } from '../../../src/daemon/deployment/judge-tree.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { type GitStoreDeps, openGitStore } from '../../../src/platform/git/git-store.ts'
import { gitServer, upstream } from '../../support/git-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'

// The attacker may push to the repository, or is its server, and wants the daemon to hang, to fill its disk or memory,
// or to lose its data.
const TOKEN = 'a-token-of-the-test'
const { signal } = new AbortController()

function storeOf(url: string, options: Partial<GitStoreDeps> = {}) {
  const folder = join(tempFolder(), 'store')
  const store = openGitStore({
    access: {
      ...{ url, protocol: url.startsWith('file') ? 'file' : 'http', user: undefined, ssh: undefined },
      token: async () => TOKEN,
    },
    ...{ ref: 'main', folder, env: process.env, clock: systemClock, redact: (text: string) => text, ...options },
  })
  return { ...store, folder }
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error) => error.code,
  )

/** A repository with a commit whose tree no working folder could have. */
function hostile(treeOf: (tree: (entry: string, id: string, times?: number) => string, blob: string) => string) {
  const { work, git, commit, url, push } = upstream()
  commit({ 'p/a.yaml': 'a' })
  const tree = (name: string, id: string, times = 1) => {
    const kind = git('cat-file', '-t', id)
    const mode = kind === 'tree' ? '40000' : '100644'
    const entries = Array.from({ length: times }, (_, index) =>
      Buffer.concat([Buffer.from(`${mode} ${name}${times > 1 ? index : ''}\0`), Buffer.from(id, 'hex')]),
    )
    const args = ['-C', work, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin']
    return execFileSync('git', args, { input: Buffer.concat(entries), encoding: 'utf8' }).trim()
  }
  const head = git('commit-tree', '-m', 'x', treeOf(tree, git('rev-parse', 'HEAD:p/a.yaml')))
  push(`${head}:refs/heads/main`)
  return { url, head }
}

test('a tree of a million names in seven objects is not listed to its end', async () => {
  const { url, head } = hostile((tree, blob) => {
    let id = tree('f', blob, 10)
    for (let level = 0; level < 5; level++) id = tree('d', id, 10)
    return id
  })
  const store = storeOf(url)
  await store.fetch(head, signal)
  expect(await codeOf(store.tree(head, '', signal))).toBe('deploy-too-large')
})

test('names of 4 kB are refused; one that does not end is not listed', async () => {
  const { url, head } = hostile((tree, blob) => tree('n'.repeat(4000), blob))
  const store = storeOf(url)
  await store.fetch(head, signal)
  const { problems } = judgeTree(await store.tree(head, '', signal))
  expect(problems).toMatchObject([{ code: 'deploy-unsafe', message: 'its path has more than 1,000 bytes' }])
  expect(problems[0]?.file).toHaveLength(300)
  const endless = hostile((tree, blob) => tree('n'.repeat(200_000), blob))
  const other = storeOf(endless.url)
  await other.fetch(endless.head, signal)
  expect(await codeOf(other.tree(endless.head, '', signal))).toBe('deploy-too-large')
})

test('folders so deep in each other that git ends by a fault refuse the commit, and are no lost connection', async () => {
  const bin = tempFolder()
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nkill -SEGV $$\n')
  chmodSync(join(bin, 'git'), 0o755)
  const store = storeOf('file:///none', { env: { PATH: bin } })
  expect(await codeOf(store.tree('a'.repeat(40), '', signal))).toBe('deploy-too-large')
})

test('files of more than 200 MB together are refused by their sizes, before one is written', () => {
  const entry = (path: string, size: number) => ({ mode: '100644', id: 'a'.repeat(40), size, path })
  const { problems } = judgeTree([entry('a.csv', 150_000_000), entry('b.csv', 60_000_000)])
  expect(problems).toMatchObject([{ code: 'deploy-too-large', message: expect.stringContaining('210 MB') }])
  expect(judgeTree([entry('a.csv', 150_000_000)]).problems).toEqual([])
})

test('a server that begins to send a commit and never ends it is left, with nothing of it on disk', async () => {
  const { commit, bare } = upstream()
  const head = commit({ 'p/a.yaml': 'a' })
  const server = await gitServer(bare, TOKEN)
  const store = storeOf(server.url, { timeoutMs: 3000 })
  expect(await store.look(signal)).toBe(head)
  server.mood = 'stall'
  expect(await codeOf(store.fetch(head, signal))).toBe('git-unreachable')
  expect(server.stalled).toBe(1)
  expect(existsSync(store.folder)).toBe(false)
})
