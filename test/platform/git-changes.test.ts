import { execFileSync } from 'node:child_process'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { baseSince } from '../../src/platform/git-changes.ts'
import { tempFolder } from '../support/temp-folder.ts'

const WHO = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always']

/** A repository with the file p.yaml and one commit. */
function repository() {
  const folder = realpathSync(tempFolder())
  const git = (...args: string[]) => execFileSync('git', [...WHO, ...args], { cwd: folder, stdio: 'pipe' })
  const commit = (text: string) => {
    writeFileSync(join(folder, 'p.yaml'), text)
    git('add', '-A')
    git('commit', '-qm', text)
  }
  git('init', '-q', '-b', 'main')
  commit('one')
  return { folder, git, commit, since: (ref: string) => baseSince(ref, { folder, env: process.env }) }
}

test('a name of a branch and a tag is refused: the tag could be this commit, and nothing would differ', async () => {
  const { folder, git, commit, since } = repository()
  git('checkout', '-qb', 'mine')
  commit('two')
  expect((await since('main')).hasChanged(join(folder, 'p.yaml'))).toBe(true)
  git('tag', 'main')
  await expect(since('main')).rejects.toMatchObject({
    message: 'main is ambiguous: it names refs/heads/main and refs/tags/main',
    hint: 'give the whole name: --changed-since refs/remotes/origin/main',
  })
  expect((await since('refs/heads/main')).hasChanged(join(folder, 'p.yaml'))).toBe(true)
})

test('the name of a remote is its main branch, beside all others of the remote', async () => {
  const { git, since } = repository()
  for (const branch of ['main', 'other']) git('update-ref', `refs/remotes/origin/${branch}`, 'HEAD')
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
  await expect(since('origin')).resolves.toBeDefined()
})

test('files of a submodule have changed when it is at another commit', async () => {
  const lists = repository()
  const { folder, git, since } = repository()
  const file = join(folder, 'their lists', 'p.yaml')
  git('submodule', '--quiet', 'add', lists.folder, 'their lists')
  git('commit', '-qm', 'lists')
  git('checkout', '-qb', 'mine')
  expect((await since('main')).hasChanged(file)).toBe(false)
  lists.commit('two')
  git('submodule', '--quiet', 'update', '--remote')
  git('commit', '-qam', 'other lists')
  expect((await since('main')).hasChanged(file)).toBe(true)
  expect((await since('main')).hasChanged(join(folder, 'p.yaml'))).toBe(false)
})
