import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { type GitStoreDeps, openGitStore } from '../../../src/platform/git/git-store.ts'
import type { GitAccess } from '../../../src/platform/git/remote-env.ts'
import { hasSshd } from '../../remote/sftp/sshd.ts'
import { freePort } from '../../support/free-port.ts'
import { gitServer, upstream } from '../../support/git-server.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const { signal } = new AbortController()
const SECRET = 'a-token-of-the-test'

function storeOf(access: Partial<GitAccess> & { readonly url: string }, options: Partial<GitStoreDeps> = {}) {
  const folder = join(tempFolder(), 'store')
  const store = openGitStore({
    access: { protocol: 'file', user: undefined, token: undefined, ssh: undefined, ...access },
    ref: 'main',
    folder,
    env: process.env,
    clock: systemClock,
    redact: (text) => text,
    ...options,
  })
  return Object.assign(store, { folder })
}
const httpStore = (url: string, options: Partial<GitStoreDeps> = {}) =>
  storeOf({ url, protocol: 'http', token: async () => SECRET }, options)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error) => `${error.code}: ${error.message}`,
  )

describe('a repository', () => {
  test('is looked at, and one commit of it fetched: its facts, names and exact bytes', async () => {
    const { commit, url, push } = upstream()
    const bytes = Buffer.from([0, 13, 10, 255])
    commit({
      '.gitattributes': '*.txt export-subst\n',
      'p/a.yaml': 'a\r\n',
      'p/b.bin': bytes,
      'p/c.txt': '$Format:%H$',
    })
    const head = commit({ 'p/empty': '' }, 'raise the minimum')
    push('HEAD:refs/heads/other')
    const store = storeOf({ url })
    expect(await store.look(signal)).toBe(head)
    await store.fetch(head, signal)
    expect(await store.facts(head, signal)).toMatchObject({ subject: 'raise the minimum', author: 'a' })
    const hiding = storeOf({ url }, { redact: (text) => text.replaceAll('raise', '***') })
    await hiding.fetch(head, signal)
    expect(await hiding.facts(head, signal)).toMatchObject({ subject: '*** the minimum' })
    const tree = await store.tree(head, 'p', signal)
    expect(tree.map(({ path, size, mode }) => `${path} ${size} ${mode}`)).toEqual([
      'a.yaml 3 100644',
      'b.bin 4 100644',
      'c.txt 11 100644',
      'empty 0 100644',
    ])
    const read: Buffer[] = []
    await store.blobs(
      tree.map(({ id }) => id),
      (index, blob) => (read[index] = Buffer.from(blob)),
      signal,
    )
    expect(read).toEqual([Buffer.from('a\r\n'), bytes, Buffer.from('$Format:%H$'), Buffer.alloc(0)])
    expect(await codeOf(store.tree(head, 'nowhere', signal))).toMatch(
      /^deploy-invalid: the commit has no folder nowhere/,
    )
    // A tag leads to its commit, and a commit to itself.
    expect(await storeOf({ url }, { ref: head }).look(signal)).toBe(head)
  })

  test('whose branch is gone says so; a commit that is too large is not fetched to its end', async () => {
    const { commit, url } = upstream()
    const head = commit({ 'p/a.yaml': 'a' })
    expect(await codeOf(storeOf({ url }, { ref: 'gone' }).look(signal))).toMatch(/^git-ref-gone: /)
    const store = storeOf({ url }, { maxBytes: 10 })
    expect(await codeOf(store.fetch(head, signal))).toMatch(/^deploy-too-large: /)
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p/${index}`, 'x']))
    const next = commit(many)
    const other = storeOf({ url })
    await other.fetch(next, signal)
    expect(await other.tree(next, '', signal)).toHaveLength(301)
  })

  test('over HTTP needs the token, which is in no argument, no file and no message', async () => {
    const { commit, bare } = upstream()
    const head = commit({ 'p/a.yaml': 'a' })
    const server = await gitServer(bare, SECRET)
    const store = httpStore(server.url)
    expect(await store.look(signal)).toBe(head)
    await store.fetch(head, signal)
    expect(spawnSync('grep', ['-r', SECRET, store.folder]).status).toBe(1)
    server.token = 'another'
    expect(await codeOf(store.look(signal))).toMatch(/^git-access-refused: (?!.*a-token)/)
  })

  test.each([
    ['login', 'git-not-a-repository'],
    ['busy', 'git-unreachable'],
    ['redirect', 'git-unreachable'],
    ['hang', 'git-unreachable'],
  ] as const)('that answers with %s is %s, and never a repository without its branch', async (mood, code) => {
    const { commit, bare } = upstream()
    commit({ 'p/a.yaml': 'a' })
    const server = await gitServer(bare, SECRET)
    server.mood = mood
    const store = httpStore(server.url, mood === 'hang' ? { timeoutMs: 500 } : {})
    expect(await codeOf(store.look(signal))).toMatch(new RegExp(`^${code}: `))
    server.mood = 'git'
    expect(await httpStore(server.url).look(signal)).toMatch(/^[0-9a-f]{40}$/)
  })

  test('with names that climb, or that mean git itself, is refused before it is stored', async () => {
    const { work, git, commit, url, push } = upstream()
    commit({ 'p/a.yaml': 'a' })
    const blob = git('rev-parse', 'HEAD:p/a.yaml')
    for (const name of ['..', '.GIT', '.git']) {
      const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')])
      const tree = execFileSync('git', ['-C', work, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], {
        input: entry,
        encoding: 'utf8',
      }).trim()
      const hostile = git('commit-tree', '-m', 'x', tree)
      git('update-ref', 'refs/heads/hostile', hostile)
      push('refs/heads/hostile:refs/heads/main')
      expect(await codeOf(storeOf({ url }).fetch(hostile, signal))).toMatch(/^deploy-unsafe: /)
    }
  })

  test.each(['ext::sh -c touch% /tmp/x', '--upload-pack=touch x', 'ssh://-oProxyCommand=touch/x'])(
    'is never an address that runs something: %s',
    async (url) => {
      expect(await codeOf(storeOf({ url, protocol: 'https' }).look(signal))).toMatch(
        /^git-(unreachable|not-a-repository): /,
      )
    },
  )

  test('ends its work at once when it is told to, with everything that git started', async () => {
    const { bare } = upstream()
    const server = await gitServer(bare, SECRET)
    server.mood = 'hang'
    const ending = new AbortController()
    const looking = httpStore(server.url).look(ending.signal)
    await expect.poll(() => server.requests).toBe(1)
    ending.abort(new Error('over'))
    await expect(looking).rejects.toThrow('over')
  })
})

describe('a signature', () => {
  test('is needed from an allowed signer', async () => {
    const { work, git, commit, url, push } = upstream()
    const key = (name: string) => {
      const file = join(work, '..', `${name}-${process.pid}`)
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file])
      onTestFinished(() => void execFileSync('rm', ['-f', file, `${file}.pub`]))
      return file
    }
    const [ana, ben] = [key('ana'), key('ben')]
    const signers = join(tempFolder(), 'signers')
    writeFileSync(signers, `a@example.com ${readFileSync(`${ana}.pub`, 'utf8')}`)
    const unsigned = commit({ 'p/a.yaml': 'a' })
    const signed = (with_: string) => {
      git(
        '-c',
        'gpg.format=ssh',
        '-c',
        `user.signingKey=${with_}`,
        'commit',
        '--quiet',
        '--allow-empty',
        '-S',
        '-m',
        's',
      )
      push('HEAD:main')
      return git('rev-parse', 'HEAD')
    }
    const store = storeOf({ url })
    const judge = async (head: string) => {
      await store.fetch(head, signal)
      return codeOf(store.requireSigned(head, signers, signal))
    }
    expect(await judge(unsigned)).toMatch(/^deploy-unsigned: /)
    expect(await judge(signed(ana))).toBe('ok')
    expect(await judge(signed(ben))).toMatch(/^deploy-unsigned: /)
  })
})

describe.skipIf(!hasSshd)('over ssh', () => {
  test('a deploy key and the host key are needed', async () => {
    const { commit, bare } = upstream()
    const head = commit({ 'p/a.yaml': 'a' })
    const folder = tempFolder()
    const at = (name: string) => join(folder, name)
    for (const name of ['host', 'client', 'other'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)])
    const port = await freePort()
    writeFileSync(
      at('authorized'),
      `command="git-upload-pack '${bare}'",restrict ${readFileSync(at('client.pub'), 'utf8')}`,
    )
    const lines = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
    ]
    writeFileSync(at('config'), lines.join('\n'))
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
    const sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('config')], { stdio: 'ignore' })
    onTestFinished(() => void sshd.kill())
    writeFileSync(at('known'), `[127.0.0.1]:${port} ${readFileSync(at('host.pub'), 'utf8')}`)
    writeFileSync(at('unknown'), `[127.0.0.1]:${port} ${readFileSync(at('other.pub'), 'utf8')}`)
    const url = `ssh://${userInfo().username}@127.0.0.1:${port}/any`
    const store = (keyFile: string, knownHosts: string) =>
      storeOf({ url, protocol: 'ssh', ssh: { keyFile: at(keyFile), knownHosts: at(knownHosts) } })
    // The server takes a moment to begin.
    const seen = () => store('client', 'known').look(signal).catch(String)
    await expect.poll(seen, { interval: 200 }).toBe(head)
    const good = store('client', 'known')
    await good.fetch(head, signal)
    expect(await good.tree(head, 'p', signal)).toHaveLength(1)
    expect(await codeOf(store('client', 'unknown').look(signal))).toMatch(/^git-host-unknown: /)
    expect(await codeOf(store('other', 'known').look(signal))).toMatch(/^git-access-refused: /)
    chmodSync(at('client'), 0o644)
    expect(await codeOf(store('client', 'known').look(signal))).toMatch(/^git-access-refused: others may read the key/)
    expect(existsSync(at('nothing'))).toBe(false)
  })
})
