import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { followDeployments } from '../../../src/daemon/deployment/deployed-pipelines.ts'
import { createLook } from '../../../src/daemon/deployment/deployer.ts'
import { pruneReleases } from '../../../src/daemon/deployment/prune-releases.ts'
import { readNewPipeline } from '../../../src/daemon/documents/read-pipeline.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openGitStore } from '../../../src/platform/git/git-store.ts'
import { gitServer, upstream } from '../../support/git-server.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const document = (name: string, description = '1', rest = '') =>
  `version: 1\nname: ${name}\ndescription: "${description}"\n${rest}steps: [{ id: a, uses: groups.list }]\n`
const ANA = { by: 'Ana', comment: 'bad list' }

/** A process that deploys from a repository. */
async function deploying(options: { readonly workdir?: string; readonly url?: string } = {}) {
  const remote = upstream()
  const place = sqlitePlace()
  const state = await place.open('a')
  const folder = tempFolder()
  const releases = join(folder, 'releases')
  const reads: string[] = []
  const rules = {
    read: (source: Parameters<typeof readNewPipeline>[0]) => {
      reads.push(source.file.split('/').at(-1) ?? '')
      if (rules.refuses) throw new Error('no')
      return readNewPipeline(source)
    },
    checkFile: () => undefined,
    workdir: options.workdir,
    path: 'pipelines',
    refuses: false,
  }
  const told: string[] = []
  let now = Date.UTC(2026, 10, 28)
  const clock = { ...systemClock, now: () => now }
  const log = pino({ level: 'silent' })
  const follow = (other: Partial<Parameters<typeof followDeployments>[0]> = {}) =>
    followDeployments({
      ...{ deployments: state.deployments, releases, rules, clock, log, ...other },
      onChange: (documents) =>
        told.push([...documents].map(([name, { pipeline }]) => `${name} ${pipeline.description}`).join(', ')),
    })
  const pipelines = await follow()
  const store = openGitStore({
    access: {
      url: options.url ?? remote.url,
      protocol: options.url ? 'http' : 'file',
      user: undefined,
      token: undefined,
      ssh: undefined,
    },
    ...{
      ref: 'main',
      folder: join(folder, 'store'),
      env: process.env,
      clock: systemClock,
      redact: (text: string) => text,
    },
  })
  onTestFinished(async () => {
    await pipelines.close()
    await state.close()
    await place.remove()
  })
  const deps = {
    ...{ store, releases, rules, signedBy: undefined, deployments: state.deployments, everyMs: 1000 },
    ...{ clock, random: () => 0.5, log, inUse: pipelines.release, deployed: pipelines.use },
    prune: () => pruneReleases(releases, { deployments: state.deployments, runs: state.runs }),
  }
  const { signal } = new AbortController()
  return {
    ...{ remote, state, releases, pipelines, told, follow, store, rules },
    look: createLook(deps, signal),
    /** The documents that were read since the last call. */
    read: () => reads.splice(0).sort().join(' '),
    later: (ms: number) => {
      now += ms
    },
    lost: async () => (await state.deployments.standing()).look?.lost,
    found: async () => (await state.deployments.standing()).look?.state,
    commitInUse: async () => (await state.deployments.current())?.commit,
  }
}

describe('a commit', () => {
  test('is deployed whole; what is the same is not read again, and is the same file on disk', async () => {
    const { remote, look, told, read, releases, pipelines, follow, commitInUse } = await deploying()
    const parent = 'version: 1\nname: parent\nsteps: [{ id: a, uses: pipelines.run, with: { file: child.yaml } }]\n'
    const first = remote.commit({
      'pipelines/child.yaml': document('child'),
      'pipelines/parent.yaml': parent,
      'pipelines/team/q.yaml': document('q'),
      'README.md': 'x',
    })
    await look()
    expect([told, read(), await commitInUse()]).toEqual([
      ['child 1, parent undefined, q 1'],
      'child.yaml parent.yaml q.yaml',
      first,
    ])
    await look()
    expect([told.length, read()]).toEqual([1, ''])
    const second = remote.commit({ 'pipelines/child.yaml': document('child', '2') })
    await look()
    expect([told[1], read()]).toEqual(['child 2, parent undefined, q 1', 'child.yaml parent.yaml'])
    // Every document is in the folder of its commit, so that a run and its children come from the same one.
    for (const { file, pipeline } of pipelines.documents().values()) {
      expect(file.startsWith(`${join(releases, second)}/`)).toBe(true)
      expect(pipeline.file).toBe(file)
    }
    expect(readFileSync(join(releases, first, 'child.yaml'), 'utf8')).toBe(document('child'))
    expect(readdirSync(releases).sort()).toEqual([first, second].sort())
    // Another process, or the next start, does not need the network.
    rmSync(remote.bare, { recursive: true })
    const other = await follow()
    await other.close()
    expect([...other.documents().keys()]).toEqual(['child', 'parent', 'q'])
  })

  test('with a problem is refused as a whole, people are told once, and the next good one is deployed', async () => {
    const { remote, look, told, state, releases, found, commitInUse, read } = await deploying()
    await state.outbox.begin()
    const good = remote.commit({ 'pipelines/p.yaml': document('p') })
    await look()
    read()
    const bad = remote.commit(
      { 'pipelines/p.yaml': document('p', '2'), 'pipelines/q.yaml': 'version: 1\nname: [q\n' },
      'new partner',
    )
    await look()
    await look()
    expect([await found(), await commitInUse(), told]).toEqual(['refused', good, ['p 1']])
    expect(read()).toBe('p.yaml q.yaml')
    const { problems, subject } = (await state.deployments.standing()).look!
    expect(subject).toBe('new partner')
    expect(problems).toMatchObject([
      { file: 'pipelines/q.yaml', line: expect.any(Number), code: expect.stringMatching(/yaml/) },
    ])
    expect(JSON.stringify(problems)).not.toContain(releases)
    expect(existsSync(join(releases, bad))).toBe(false)
    expect(readdirSync(releases).filter((name) => name.startsWith('.'))).toEqual([])
    remote.commit({ 'pipelines/q.yaml': document('p') })
    await look()
    expect((await state.deployments.standing()).look?.problems).toMatchObject([
      { message: expect.stringMatching(/the pipeline p is already in pipelines\/p.yaml/) },
    ])
    remote.commit({ 'pipelines/q.yaml': document('q') })
    await look()
    expect([await found(), told.at(-1)]).toEqual(['current', 'p 2, q 1'])
    const events = await state.outbox.events(10)
    expect(events.map((event) => event.kind === 'deployment' && event.news.what)).toEqual([
      'refused',
      'refused',
      'recovered',
    ])
  })

  test('of before can be gone back to; the one after it is skipped until there is a newer', async () => {
    const { remote, look, told, state, pipelines, follow } = await deploying()
    const first = remote.commit({ 'pipelines/p.yaml': document('p') })
    await look()
    const second = remote.commit({ 'pipelines/p.yaml': document('p', '2') })
    await look()
    const [, earlier] = await state.deployments.list(2)
    await state.deployments.rollBack({ ...earlier!, at: 5 }, { after: 2, skips: second }, ANA)
    const back = await follow()
    await back.close()
    expect(back.documents().get('p')?.pipeline.description).toBe('1')
    expect(earlier?.commit).toBe(first)
    pipelines.use(3, back.release()!)
    await look()
    expect((await state.deployments.current())?.commit).toBe(first)
    remote.commit({ 'pipelines/p.yaml': document('p', '3') })
    await look()
    expect(told.at(-1)).toBe('p 3')
    expect((await state.deployments.standing()).orders.skipped).toBeUndefined()
  })

  test('is not looked for while deployments are paused; a branch that is forced back is followed', async () => {
    const { remote, look, state, commitInUse } = await deploying()
    const first = remote.commit({ 'pipelines/p.yaml': document('p') })
    await look()
    await state.deployments.pause(1, ANA)
    const second = remote.commit({ 'pipelines/p.yaml': document('p', '2') })
    await look()
    expect(await commitInUse()).toBe(first)
    await state.deployments.resume(ANA)
    await look()
    expect(await commitInUse()).toBe(second)
    remote.push(`${first}:refs/heads/main`)
    await look()
    expect(await commitInUse()).toBe(first)
  })

  test('that watches folders needs a workdir, where they stay whatever is deployed', async () => {
    const watching = document(
      'w',
      '1',
      'triggers: [{ id: drop, watch: { path: inbox, pattern: "*.csv", done: done, failed: failed } }]\n',
    )
    const without = await deploying()
    without.remote.commit({ 'pipelines/team/w.yaml': watching })
    await without.look()
    expect((await without.state.deployments.standing()).look?.problems).toMatchObject([
      {
        file: 'pipelines/team/w.yaml',
        line: 4,
        message: expect.stringContaining('inbox is relative'),
        hint: expect.stringContaining('workdir'),
      },
    ])
    const workdir = tempFolder()
    const { remote, look, pipelines } = await deploying({ workdir })
    remote.commit({ 'pipelines/team/w.yaml': watching })
    await look()
    expect(pipelines.documents().get('w')?.folder).toBe(join(workdir, 'team'))
  })
})

test('a deployment in use has no problem any more once the state can be read again', async () => {
  const { remote, look, follow, state, releases } = await deploying()
  remote.commit({ 'pipelines/p.yaml': document('p') })
  await look()
  let isBroken = false
  const deployments = {
    current: () => (isBroken ? Promise.reject(new Error('disk I/O error')) : state.deployments.current()),
  }
  const sleep = () => systemClock.sleep(1)
  const pipelines = await follow({ deployments, clock: { ...systemClock, sleep } })
  onTestFinished(() => pipelines.close())
  isBroken = true
  await expect.poll(pipelines.problems).toMatchObject([{ file: releases, keepsLast: true }])
  isBroken = false
  await expect.poll(pipelines.problems).toEqual([])
})

describe('a repository', () => {
  test('that cannot be reached removes nothing, and people are told after a quarter of an hour, once', async () => {
    const { remote, look, state, found, told, later } = await deploying()
    await state.outbox.begin()
    remote.commit({ 'pipelines/p.yaml': document('p') })
    await look()
    const away = `${remote.bare}.away`
    execFileSync('mv', [remote.bare, away])
    for (let minute = 0; minute < 20; minute++) {
      await look()
      later(60_000)
    }
    expect([await found(), told]).toEqual(['unreachable', ['p 1']])
    expect(await state.outbox.events(10)).toMatchObject([{ kind: 'deployment', news: { what: 'unreachable' } }])
    execFileSync('mv', [away, remote.bare])
    await look()
    expect(await state.outbox.events(10)).toMatchObject([{}, { news: { what: 'recovered' } }])
    remote.push('HEAD:other')
    execFileSync('git', ['--git-dir', remote.bare, 'update-ref', '-d', 'refs/heads/main'])
    await look()
    expect([await found(), told]).toEqual(['ref-gone', ['p 1']])
  })

  test.each(['login', 'busy', 'redirect'] as const)('whose server answers with %s removes nothing', async (mood) => {
    const bare = upstream()
    bare.commit({ 'pipelines/p.yaml': document('p') })
    const server = await gitServer(bare.bare, '')
    server.mood = mood
    const { look, found, told } = await deploying({ url: server.url })
    expect(await look()).toBe(false)
    expect([await found(), told]).toEqual(['unreachable', []])
  })

  test.each<[string, (work: string) => void, string]>([
    ['a link', (work) => execFileSync('ln', ['-s', '/etc/passwd', join(work, 'pipelines/x.csv')]), 'deploy-unsafe'],
    [
      'a pointer of Git LFS',
      (work) =>
        execFileSync('sh', [
          '-c',
          `printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:1\\n' > ${work}/pipelines/x.csv`,
        ]),
      'deploy-unsafe',
    ],
    [
      'a name with control characters',
      (work) => execFileSync('touch', [join(work, 'pipelines/a\u001b[2Jb.csv')]),
      'deploy-unsafe',
    ],
    [
      'a name that reads backwards',
      (work) => execFileSync('touch', [join(work, 'pipelines/a\u202eb.csv')]),
      'deploy-unsafe',
    ],
    [
      'a document that is too large',
      (work) => execFileSync('sh', ['-c', `head -c 4000001 /dev/zero | tr '\\0' '#' > ${work}/pipelines/x.yaml`]),
      'deploy-too-large',
    ],
    [
      'a long path',
      (work) =>
        execFileSync('sh', [
          '-c',
          `cd ${work}/pipelines && for i in 1 2 3 4 5; do d=$(printf 'd%.0s' $(seq 240)); mkdir $d && cd $d; done && touch x`,
        ]),
      'deploy-unsafe',
    ],
  ])('with %s is refused, and nothing of it is kept', async (_what, spoil, code) => {
    const { remote, look, state, releases, found } = await deploying()
    remote.commit({ 'pipelines/p.yaml': document('p') })
    spoil(remote.work)
    const head = remote.commit({})
    await look()
    const its = (await state.deployments.standing()).look
    expect([await found(), its?.problems?.[0]?.code]).toEqual(['refused', code])
    expect(JSON.stringify(its)).not.toMatch(/\\u001b|\u202e/)
    expect(existsSync(join(releases, head))).toBe(false)
  })

  test('with a submodule is refused; one beside the pipelines, hidden files and audience.yaml are left alone', async () => {
    const { remote, look, state, releases, found } = await deploying()
    remote.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},pipelines/module`)
    remote.git('commit', '--quiet', '-m', 'module')
    remote.push('HEAD:main')
    await look()
    expect((await state.deployments.standing()).look?.problems).toMatchObject([
      { file: 'pipelines/module', code: 'deploy-unsafe' },
    ])
    remote.git('rm', '--quiet', '--cached', 'pipelines/module')
    remote.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},elsewhere`)
    remote.git('commit', '--quiet', '-m', 'elsewhere')
    remote.work && execFileSync('mkdir', ['-p', join(remote.work, 'pipelines')])
    const texts = {
      'pipelines/p.yaml': document('p'),
      'pipelines/audience.yaml': 'state: /tmp/x\n',
      'pipelines/.hidden/x.yaml': 'x',
    }
    for (const [name, text] of Object.entries(texts)) {
      execFileSync('mkdir', ['-p', join(remote.work, name, '..')])
      execFileSync('sh', ['-c', `printf '%s' "$1" > "$2"`, 'sh', text, join(remote.work, name)])
    }
    remote.git('add', '--force', 'pipelines')
    remote.git('commit', '--quiet', '-m', 'texts')
    remote.push('HEAD:main')
    await look()
    expect(await found()).toBe('current')
    const [commit] = readdirSync(releases)
    expect(readdirSync(join(releases, commit!)).sort()).toEqual(['.manifest.json', 'p.yaml'])
  })
})

test('a release that is gone is a reason not to be ready, and its files are fetched again', async () => {
  const { remote, look, releases, follow, commitInUse, told, state } = await deploying()
  const head = remote.commit({ 'pipelines/p.yaml': document('p') })
  await look()
  rmSync(join(releases, head), { recursive: true })
  const other = await follow()
  onTestFinished(() => other.close())
  expect([other.documents().size, other.problems()]).toEqual([
    0,
    [{ file: releases, messages: [expect.stringContaining(`${head.slice(0, 7)} is not in`)], keepsLast: false }],
  ])
  await look()
  expect([await commitInUse(), told]).toEqual([head, ['p 1']])
  expect(await state.deployments.list(9)).toHaveLength(1)
  expect(readFileSync(join(releases, head, 'p.yaml'), 'utf8')).toBe(document('p'))
  await expect.poll(() => [other.documents().size, other.problems()]).toEqual([1, []])
})

describe('the files of a commit that are gone', () => {
  async function rolledBack(options: Parameters<typeof deploying>[0] = {}) {
    const its = await deploying(options)
    const { remote, look, state, releases } = its
    const first = remote.commit({ 'pipelines/p.yaml': document('p') })
    await look()
    const second = remote.commit({ 'pipelines/p.yaml': document('p', '2') })
    await look()
    const [, earlier] = await state.deployments.list(2)
    await state.deployments.rollBack({ ...earlier!, at: 5 }, { after: 2, skips: second }, ANA)
    rmSync(releases, { recursive: true })
    return { ...its, first, second }
  }

  test('are fetched again while deployments are rolled back', async () => {
    const { look, releases, first, follow, commitInUse, found } = await rolledBack()
    await look()
    expect([await commitInUse(), await found(), readdirSync(releases)]).toEqual([first, 'current', [first]])
    const other = await follow()
    await other.close()
    expect(other.documents().get('p')?.pipeline.description).toBe('1')
  })

  test('are fetched again while deployments are paused', async () => {
    const { look, releases, state, remote, first, commitInUse } = await rolledBack()
    await state.deployments.pause(1, ANA)
    remote.commit({ 'pipelines/p.yaml': document('p', '3') })
    await look()
    expect([await commitInUse(), readdirSync(releases)]).toEqual([first, [first]])
  })

  test('are fetched again while the newest commit is refused, and the branch is gone', async () => {
    const { look, releases, remote, first, found } = await rolledBack()
    remote.commit({ 'pipelines/p.yaml': 'version: 1\nname: [p\n' })
    await look()
    expect([await found(), readdirSync(releases)]).toEqual(['refused', [first]])
    rmSync(releases, { recursive: true })
    remote.push('HEAD:other')
    execFileSync('git', ['--git-dir', remote.bare, 'update-ref', '-d', 'refs/heads/main'])
    await look()
    expect([await found(), readdirSync(releases)]).toEqual(['ref-gone', [first]])
  })

  test.each([true, false])('and cannot be fetched are told, and the next commit helps; paused: %s', async (paused) => {
    const { look, releases, state, remote, first, lost, told } = await rolledBack()
    if (paused) await state.deployments.pause(1, ANA)
    const away = `${remote.bare}.away`
    execFileSync('mv', [remote.bare, away])
    await look()
    expect(await lost()).toMatchObject({ commit: first, code: 'git-not-a-repository' })
    execFileSync('mv', [away, remote.bare])
    // A force push and a cleanup of the repository remove the commit forever.
    remote.git('checkout', '--quiet', '--orphan', 'other')
    const next = remote.commit({ 'pipelines/p.yaml': document('p', '3') })
    for (const args of [
      ['update-ref', '-d', 'refs/heads/other'],
      ['reflog', 'expire', '--expire=now', '--all'],
      ['gc', '--quiet', '--prune=now'],
    ])
      execFileSync('git', ['--git-dir', remote.bare, ...args])
    await state.deployments.pause(1, ANA)
    await look()
    expect(await lost()).toMatchObject({ commit: first, code: 'git-commit-gone' })
    await state.deployments.resume(ANA)
    await look()
    expect([await lost(), readdirSync(releases), told.at(-1)]).toEqual([undefined, [next], 'p 3'])
  })

  test('and are no longer valid under the configuration are told, and fetched again only if somebody asks', async () => {
    const { look, releases, state, lost, first, rules, store } = await rolledBack()
    let fetches = 0
    const { fetch } = store
    store.fetch = (...args) => {
      fetches += 1
      return fetch(...args)
    }
    rules.refuses = true
    await look()
    await look()
    expect(await lost()).toMatchObject({
      commit: first,
      code: 'deploy-invalid',
      message: expect.stringContaining('no'),
    })
    expect([fetches, existsSync(join(releases, first))]).toEqual([1, false])
    rules.refuses = false
    await state.deployments.ask(7, ANA)
    await look()
    expect([await lost(), fetches, readdirSync(releases)]).toEqual([undefined, 2, [first]])
  })
})

test('releases that this user may not look at are not taken for gone', async () => {
  const { look, remote, releases, follow, lost } = await deploying()
  remote.commit({ 'pipelines/p.yaml': document('p') })
  await look()
  rmSync(releases, { recursive: true })
  symlinkSync('releases', releases)
  await expect(look()).rejects.toThrow('ELOOP')
  expect(await lost()).toBeUndefined()
  const other = await follow()
  await other.close()
  expect(other.problems()).toMatchObject([{ messages: [expect.stringMatching(/cannot be read: ELOOP.+releases/)] }])
})

test('old releases are removed, but not those of the last ten deployments', async () => {
  const { remote, look, releases } = await deploying()
  for (let index = 0; index < 12; index++) {
    remote.commit({ 'pipelines/p.yaml': document('p', String(index)) })
    await look()
  }
  expect(readdirSync(releases)).toHaveLength(10)
})
