import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, stateRows, until, untilReady } from '../support/daemon.ts'
import { upstream } from '../support/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const document = (name: string, version: string, rest = '') =>
  `version: 1\nname: ${name}\n${rest}steps: [{ id: look, uses: groups.list, with: {} }]\noutputs: { version: "${version}" }\n`
const PARENT = `version: 1
name: parent
triggers:
  - { id: drop, watch: { path: inbox, pattern: "*.csv", settle: 100ms, done: inbox/done, failed: inbox/failed } }
steps:
  - { id: ask, uses: approval.wait, with: { message: go on? } }
  - { id: child, uses: pipelines.run, with: { file: child.yaml } }
outputs: { version: "\${{ steps.child.outputs.outputs.version }}" }
`

/** A project whose pipelines come from a repository, and its command line. */
function project() {
  const remote = upstream()
  const { folder, options } = projectIn(tempFolder(), { PATH: process.env.PATH ?? '' })
  const git = { url: remote.url, ref: 'main', every: '10s', workdir: 'work' }
  writeFileSync(join(folder, 'audience.yaml'), JSON.stringify({ pipelines: { git } }))
  mkdirSync(join(folder, 'work/inbox'), { recursive: true })
  const audience = (...args: string[]) => commandLine(args, options)
  const status = async () => JSON.parse((await audience('deploy', 'status', '--json')).out)
  return {
    ...{ remote, folder, options, audience, status },
    /** Used by the running daemon. */
    async deployed(commit: string) {
      await until(async () => {
        const { out } = await audience('deploy', 'now')
        return out !== '' && (await status()).deployed?.commit === commit
      })
    },
    async start() {
      const daemon = spawnDaemon(options)
      onTestFinished(() => kill(daemon).then(() => undefined))
      return { daemon, ...(await untilReady(daemon)) }
    },
  }
}

test('a run and its children come from one commit, also if another one is deployed while it waits', async () => {
  const { remote, folder, start, deployed, audience } = project()
  const first = remote.commit(
    { 'pipelines/parent.yaml': PARENT, 'pipelines/child.yaml': document('child', 'one') },
    'first',
  )
  await start()
  await deployed(first)
  writeFileSync(join(folder, 'work/inbox/a.csv'), 'a')
  const runOf = (pipeline: string) =>
    stateRows({ folder }, 'SELECT run_id, status FROM runs WHERE pipeline = ?', pipeline)
  await until(() => runOf('parent')[0]?.status === 'waiting')
  const second = remote.commit({ 'pipelines/child.yaml': document('child', 'two') }, 'second')
  await deployed(second)
  await audience('runs', 'approve', String(runOf('parent')[0]?.run_id), 'ask')
  await until(() => runOf('parent')[0]?.status === 'succeeded')
  for (const pipeline of ['parent', 'child']) {
    const shown = JSON.parse((await audience('runs', 'show', String(runOf(pipeline)[0]?.run_id), '--json')).out)
    expect(shown.outputs).toEqual({ version: 'one' })
    expect(shown.git).toEqual({ commit: first, dirty: false })
  }
})

test('a refused commit leaves all as it was; people go back, pause and go on', async () => {
  const { remote, start, deployed, audience, status } = project()
  const first = remote.commit({ 'pipelines/p.yaml': document('p', '1') }, 'raise the minimum')
  const { url } = await start()
  await deployed(first)
  const second = remote.commit({ 'pipelines/p.yaml': document('p', '2') })
  await deployed(second)
  const bad = remote.commit({ 'pipelines/p.yaml': 'version: 1\nname: [p\n' }, 'new partner')
  expect(await audience('deploy', 'check')).toMatchObject({
    code: 3,
    out: expect.stringMatching(/would be refused\n {2}pipelines\/p.yaml:\d/),
  })
  await until(async () => (await audience('deploy', 'now')).code === 0 && (await status()).state === 'refused')
  const { out } = await audience('deploy', 'status')
  expect(out).toContain(`remote   ${bad.slice(0, 7)} "new partner" (a): refused`)
  expect(out).toMatch(new RegExp(`${second.slice(0, 7)} stays in use\n  pipelines/p.yaml:\\d+:\\d+ .+ \\[yaml-`))
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect((await audience('status')).out).toMatch(
    new RegExp(`deployment +refused for .+; ${second.slice(0, 7)} is in use: audience deploy status`),
  )
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('audience_deployment{state="refused"} 1')

  expect((await audience('deploy', 'rollback', first.slice(0, 7), '--comment', 'bad list')).out).toContain(
    `${bad.slice(0, 7)} is skipped`,
  )
  expect(await status()).toMatchObject({
    deployed: { commit: first, act: 'rollBack', comment: 'bad list' },
    skipped: bad,
  })
  expect((await audience('deploy', 'rollback', 'ffff')).code).toBe(2)
  expect((await audience('deploy', 'pause', '--comment', 'freeze')).code).toBe(0)
  const third = remote.commit({ 'pipelines/p.yaml': document('p', '3') })
  expect(await status()).toMatchObject({ state: 'paused', deployed: { commit: first } })
  expect((await audience('deploy', 'resume')).code).toBe(0)
  await deployed(third)
  expect((await audience('deploy', 'list')).out).toMatch(/went back: bad list/)
  expect((await audience('audit', 'list')).out).toMatch(/deploy\.rollback/)
})

test('after a restore without its release, the commit that people went back to is fetched again; until then, the status says so', async () => {
  const { remote, folder, start, deployed, audience, status } = project()
  const first = remote.commit({ 'pipelines/p.yaml': document('p', '1') }, 'raise the minimum')
  const { daemon } = await start()
  await deployed(first)
  const second = remote.commit({ 'pipelines/p.yaml': document('p', '2') })
  await deployed(second)
  await audience('deploy', 'rollback', first.slice(0, 7))
  await audience('deploy', 'pause')
  await kill(daemon)
  const releases = join(folder, 'state/releases')
  rmSync(releases, { recursive: true })
  renameSync(remote.bare, `${remote.bare}.away`)
  const its = join(releases, first)
  const before = await audience('deploy', 'status')
  expect(before.out).toContain(`missing  ${its}; until it is there again`)
  expect(before.out).toContain('`audience start` fetches it again at its next check')
  expect(before.out).not.toContain('stays in use')
  const { daemon: away } = await start()
  await until(async () => (await status()).missing?.code !== undefined)
  const told = await audience('deploy', 'status')
  expect(told.out).toMatch(/\n {2}file:.*pipelines\.git: .* \[git-not-a-repository\]; check/)
  expect(told.out).toContain('or copy the folder from a backup, or use another commit')
  renameSync(`${remote.bare}.away`, remote.bare)
  await audience('deploy', 'now')
  await until(() => existsSync(join(its, 'p.yaml')))
  expect(await status()).toMatchObject({ state: 'paused', deployed: { commit: first } })
  expect(await status()).not.toHaveProperty('missing')
  await kill(away)
  expect((await start()).pipelines).toBe(1)
})

test('a daemon that is killed in the middle of deployments deploys the right commit the next time', async () => {
  const { remote, folder, start, deployed } = project()
  let head = remote.commit(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`pipelines/p${index}.yaml`, document(`p${index}`, '0')]),
    ),
  )
  const releases = join(folder, 'state/releases')
  const store = join(folder, 'state/deployment')
  const commits = () => (existsSync(releases) ? readdirSync(releases) : [])
  const rows = () => stateRows({ folder }, 'SELECT commit_id FROM deployments').length
  // While it fetches, while it writes the new folder, after the manifest, after the rename, and after the record.
  const points = [
    () => existsSync(store),
    () => existsSync(join(store, 'shallow')),
    () => commits().some((name) => name.startsWith('.')),
    () => commits().some((name) => name.startsWith('.') && existsSync(join(releases, name, '.manifest.json'))),
    () => commits().includes(head),
    () => rows() > 0,
  ]
  for (const [index, isThere] of points.entries()) {
    const { daemon } = await start()
    await until(isThere)
    await kill(daemon)
    head = remote.commit({ 'pipelines/p0.yaml': document('p0', String(index + 1)) })
  }
  await start()
  await deployed(head)
  expect(commits().filter((name) => name.startsWith('.'))).toEqual([])
  const deployedCommits = stateRows({ folder }, 'SELECT commit_id FROM deployments').map((row) => row.commit_id)
  expect(deployedCommits.at(-1)).toBe(head)
  expect(readdirSync(join(releases, head)).filter((name) => !name.startsWith('.'))).toHaveLength(60)
})
