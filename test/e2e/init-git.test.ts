import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { kill, projectIn, spawnDaemon, until, untilReady } from '../support/daemon.ts'
import { GIT_ENV } from '../support/git-env.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PATH = process.env.PATH ?? ''

test('init --git makes a repository whose commits are deployed, without its configuration', async () => {
  const cwd = tempFolder()
  const made = await commandLine(['init', '--git', 'my pipelines'], { cwd, env: { PATH } })
  expect(made).toMatchObject({
    code: 0,
    out: expect.stringMatching(/npx audience deploy check\n {2}npx audience start\n/),
  })
  const folder = join(cwd, 'my pipelines')
  const clone = join(folder, 'repository')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', clone, ...args], { env: GIT_ENV, encoding: 'utf8' }).trim()
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD')]).toEqual(['', git('rev-parse', 'origin/main')])
  expect(readdirSync(clone)).not.toContain('audience.yaml')

  const { options } = projectIn(folder, { PATH })
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  const state = async () => JSON.parse((await commandLine(['deploy', 'status', '--json'], options)).out)
  await until(async () => (await state()).deployed?.commit === git('rev-parse', 'HEAD'))
  expect(await state()).toMatchObject({ state: 'current', deployed: { pipelines: 2 } })
})

test('init --git writes nothing where git is missing, or where it would overwrite something', async () => {
  const cwd = tempFolder()
  expect(await commandLine(['init', '--git', 'a'], { cwd, env: { PATH: cwd } })).toMatchObject({
    code: 2,
    err: expect.stringContaining('git cannot be run'),
  })
  expect(existsSync(join(cwd, 'a'))).toBe(false)
  expect((await commandLine(['init', '--git'], { cwd, env: { PATH } })).code).toBe(0)
  expect(await commandLine(['init', '--git'], { cwd, env: { PATH } })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/already has .*pipelines\.git; nothing/),
  })
})
