import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitVersions } from '../../src/platform/git-version.ts'
import { GIT_ENV as ENV } from '../support/git-env.ts'
import { shell } from '../support/shell.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A repository with `pipelines/p.yaml` in its first commit. */
function repository() {
  const root = realpathSync(tempFolder())
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env: ENV, encoding: 'utf8' }).trim()
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  mkdirSync(join(root, 'pipelines'))
  write('pipelines/p.yaml', 'one')
  shell('git init -q -b main; git add .; git commit -qm one', { cwd: root, env: ENV })
  const versionOf = gitVersions(ENV, Date.now)
  const version = (text: string, path = 'pipelines/p.yaml') => versionOf({ file: join(root, path), text })
  return { root, git, write, version, head: () => git('rev-parse', 'HEAD') }
}

describe('the version of a document', () => {
  test('is the commit that it is of', async () => {
    const { version, head } = repository()
    expect(await version('one')).toEqual({ commit: head(), dirty: false })
  })

  test('follows commits, checkouts and edits', async () => {
    const { version, head, git, write } = repository()
    const first = head()
    await version('one')
    write('pipelines/p.yaml', 'edited')
    expect(await version('edited')).toEqual({ commit: first, dirty: true })
    git('commit', '-qam', 'two')
    expect(await version('edited')).toEqual({ commit: head(), dirty: false })
    git('commit', '-q', '--allow-empty', '-m', 'three')
    expect(await version('edited')).toEqual({ commit: head(), dirty: false })
    git('checkout', '-q', first)
    expect(await version('one')).toEqual({ commit: first, dirty: false })
  })

  test('differs where the run is of another text than the file', async () => {
    const { version, head } = repository()
    expect(await version('the last good one')).toEqual({ commit: head(), dirty: true })
  })

  test.each([
    ['new', ''],
    ['ignored', 'pipelines/other.yml\n'],
    ['ignored with its folder', 'pipelines/\n'],
  ])('differs where the document is %s', async (_name, ignored) => {
    const { version, head, write } = repository()
    write('.git/info/exclude', ignored)
    write('pipelines/other.yml', 'x')
    expect(await version('x', 'pipelines/other.yml')).toEqual({ commit: head(), dirty: true })
    expect(await version('one')).toEqual({ commit: head(), dirty: false })
  })

  test('is asked for once for all documents, until the repository changes or a minute has passed', async () => {
    const { root, git, write } = repository()
    const bin = tempFolder()
    const script = `#!/bin/sh\necho >> ${bin}/asked\nPATH=${ENV.PATH} exec git "$@"\n`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    write('pipelines/q.yaml', 'q')
    // A time later than that of all files, so that no file looks as if it had just changed.
    let now = Date.now() + 10_000
    const versionOf = gitVersions({ ...ENV, PATH: `${bin}:${ENV.PATH}` }, () => now)
    const asked = async () => {
      const documents = ['p', 'q', 'p'].map((name) => ({ file: join(root, `pipelines/${name}.yaml`), text: name }))
      await Promise.all(documents.map(versionOf))
      return readFileSync(join(bin, 'asked'), 'utf8').length
    }
    const counts = [await asked(), await asked()]
    git('commit', '-q', '--allow-empty', '-m', 'two')
    counts.push(await asked())
    now += 61_000
    counts.push(await asked())
    // One question needs three git calls.
    expect(counts).toEqual([3, 3, 6, 9])
  })

  test('takes names as they are', async () => {
    const { version, head, git, write } = repository()
    const path = 'pipelines/ü *"\n.yaml'
    write(path, 'x')
    git('add', '.')
    expect(await version('x', path)).toEqual({ commit: head(), dirty: true })
    git('commit', '-qm', 'odd')
    expect(await version('x', path)).toEqual({ commit: head(), dirty: false })
  })

  test('is that of the worktree', async () => {
    const { root, git, write } = repository()
    git('worktree', 'add', '-q', '-b', 'other', 'tree')
    write('tree/pipelines/p.yaml', 'there')
    execFileSync('git', ['commit', '-qam', 'there'], { cwd: join(root, 'tree'), env: ENV })
    const versionOf = gitVersions(ENV, Date.now)
    const version = await versionOf({ file: join(root, 'tree/pipelines/p.yaml'), text: 'there' })
    expect(version).toEqual({ commit: git('rev-parse', 'other'), dirty: false })
  })

  test('is that of the repository of the folder, whatever a hook of git set', async () => {
    const [one, other] = [repository(), repository()]
    other.git('commit', '-q', '--allow-empty', '-m', 'two')
    const env = { ...ENV, GIT_DIR: join(other.root, '.git'), GIT_INDEX_FILE: join(other.root, '.git/index') }
    const versionOf = gitVersions(env, Date.now)
    const version = await versionOf({ file: join(one.root, 'pipelines/p.yaml'), text: 'one' })
    expect(version).toEqual({ commit: one.head(), dirty: false })
  })
})

describe('there is no version', () => {
  const versionIn = (folder: string, env = ENV as Record<string, string | undefined>) =>
    gitVersions(env, Date.now)({ file: join(folder, 'p.yaml'), text: 'x' })

  test('without a repository, a commit or a file', async () => {
    const folder = tempFolder()
    expect(await versionIn(folder)).toBeUndefined()
    writeFileSync(join(folder, 'p.yaml'), 'x')
    expect(await versionIn(folder)).toBeUndefined()
    execFileSync('git', ['init', '-q'], { cwd: folder, env: ENV })
    expect(await versionIn(folder)).toBeUndefined()
  })

  test('without git, or where it refuses', async () => {
    const { root, write } = repository()
    expect(await versionIn(join(root, 'pipelines'), { ...ENV, PATH: '/nonexistent' })).toBeUndefined()
    write('.git/config', 'this is no configuration')
    expect(await versionIn(join(root, 'pipelines'))).toBeUndefined()
  })

  test('of a document that a link brings from elsewhere', async () => {
    const { root, version } = repository()
    const elsewhere = join(tempFolder(), 'q.yaml')
    writeFileSync(elsewhere, 'x')
    symlinkSync(elsewhere, join(root, 'pipelines/q.yaml'))
    expect(await version('x', 'pipelines/q.yaml')).toBeUndefined()
  })
})
