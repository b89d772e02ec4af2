import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHECKS, runCheck } from '../../../src/cli/ci/run-checks.ts'
import { linksOut } from '../../../src/cli/ci/run-ci.ts'
import { GIT_ENV } from '../../support/git-env.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A branch with these links. OUTSIDE is a folder beside it. */
function branchWith(links: Readonly<Record<string, string>>) {
  const root = realpathSync(tempFolder())
  const outside = realpathSync(tempFolder())
  writeFileSync(join(outside, 'secret.yaml'), 'token-4711\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env: GIT_ENV, stdio: 'pipe' })
  git('init', '-q')
  mkdirSync(join(root, 'pipelines'))
  writeFileSync(join(root, 'pipelines/p.yaml'), 'version: 1\n')
  for (const [name, to] of Object.entries(links)) symlinkSync(to.replace('OUTSIDE', outside), join(root, name))
  git('add', '.')
  return root
}

const OUT = {
  'pipelines/a.yaml': 'OUTSIDE/secret.yaml',
  'pipelines/b.test.yaml': '../../../../../../etc/passwd',
  'pipelines/folder': 'OUTSIDE',
  'pipelines/of-git.yaml': '../.git/config',
  'pipelines/c.yaml': 'a.yaml',
  'audience.yaml': '/proc/self/environ',
  'days\noff.txt': 'OUTSIDE/nothing',
}

test('no link of a branch shows in a comment what is outside it', async () => {
  const root = branchWith({ ...OUT, 'pipelines/inside.yaml': 'p.yaml', inside: 'pipelines' })
  const links = await linksOut(join(root, 'pipelines'), GIT_ENV)
  expect(new Set(links)).toEqual(new Set(Object.keys(OUT).map((name) => name.replace('\n', '\\n'))))
  const options = { paths: [], base: undefined, failOn: undefined, junit: undefined, links, cwd: root, env: GIT_ENV }
  for (const check of CHECKS.filter((one) => one !== 'plan')) {
    const result = await runCheck(check, options)
    expect(result).toMatchObject({ check, outcome: 'failed' })
    expect(result.text).toContain('audience.yaml is a link that leads out of the branch\n')
    expect(result.text).not.toContain('token-4711')
  }
})

test('links within a branch, and a folder without git, are no reason', async () => {
  expect(await linksOut(branchWith({ 'pipelines/inside.yaml': 'p.yaml', inside: 'pipelines' }), GIT_ENV)).toEqual([])
  expect(await linksOut(realpathSync(tempFolder()), GIT_ENV)).toEqual([])
})
