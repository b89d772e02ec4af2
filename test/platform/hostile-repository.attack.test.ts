import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { baseSince } from '../../src/platform/git-changes.ts'
import { gitVersions } from '../../src/platform/git-version.ts'
import { GIT_ENV as ENV } from '../support/git-env.ts'
import { isLong } from '../support/is-long.ts'
import { shell } from '../support/shell.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ATTRIBUTES = '* filter=x diff=x merge=x text eol=lf\n'

/** A repository with one document, a tool that leaves a trace when it runs, and the settings for git. */
function repository() {
  const root = realpathSync(tempFolder())
  const tools = realpathSync(tempFolder())
  const trace = join(tools, 'ran')
  const program = join(tools, 'program')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${trace}\nexit 1\n`, { mode: 0o755 })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env: ENV, encoding: 'utf8', stdio: 'pipe' })
  mkdirSync(join(root, 'pipelines'))
  const file = join(root, 'pipelines/p.yaml')
  writeFileSync(file, 'one')
  shell('git init -q -b main; git add .; git commit -qm one', { cwd: root, env: ENV })
  return { root, file, program, git, ran: () => existsSync(trace), clear: () => rmSync(trace, { force: true }) }
}

/** Calls git in every way that the product does. An answer is undefined if git refused. */
async function ask(folder: string, file: string, text: string) {
  // Gives the file another date, so that git reads the file instead of trusting the date in its index.
  writeFileSync(file, text)
  const version = await gitVersions(ENV, Date.now)({ file, text })
  const base = await baseSince('HEAD', { folder, env: ENV }).catch(() => undefined)
  return { version, changed: base?.hasChanged(file) }
}

/** Keys whose value is a program, an address that names one, or a folder of programs. */
const PROGRAM_KEYS = [
  ...['filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'diff.x.command', 'diff.x.textconv', 'diff.external'],
  ...['merge.x.driver', 'core.fsmonitor', 'core.hooksPath', 'core.pager', 'pager.ls-tree', 'pager.rev-parse'],
  ...['core.editor', 'sequence.editor', 'core.askPass', 'core.sshCommand', 'core.gitProxy', 'credential.helper'],
  ...['core.alternateRefsCommand', 'gpg.program', 'gpg.ssh.program', 'gpg.x509.program', 'uploadpack.packObjectsHook'],
  ...['alias.ls-tree', 'alias.rev-parse', 'alias.merge-base', 'alias.ls-files', 'alias.diff-index'],
  'interactive.diffFilter',
  ...[
    'remote.origin.uploadpack',
    'remote.origin.receivepack',
    'remote.origin.vcs',
    'trailer.x.command',
    'trailer.x.cmd',
  ],
  ...[
    'browser.x.cmd',
    'difftool.x.cmd',
    'mergetool.x.cmd',
    'man.x.cmd',
    'web.browser',
    'instaweb.httpd',
    'help.browser',
  ],
  ...['sendemail.smtpServer', 'imap.tunnel', 'tar.x.command', 'gc.recentObjectsHook', 'trace2.eventTarget'],
  ...['notes.rewriteRef', 'url.x.insteadOf', 'include.path', 'includeIf.gitdir:/.path', 'core.excludesFile'],
  ...['core.attributesFile', 'core.worktree', 'submodule.x.update', 'submodule.recurse', 'status.submoduleSummary'],
]

function configure({ root, git, program }: ReturnType<typeof repository>, key: string, value = program): void {
  writeFileSync(join(root, '.git/info/attributes'), ATTRIBUTES)
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction', 'post-checkout']) {
    cpSync(program, join(root, '.git/hooks', hook))
    chmodSync(join(root, '.git/hooks', hook), 0o755)
  }
  git('config', key, value)
}

describe('no program that a repository names runs', () => {
  test.each(PROGRAM_KEYS)('through %s', async (key) => {
    const hostile = repository()
    const { root, file, ran, clear } = hostile
    configure(hostile, key)
    clear()
    await ask(join(root, 'pipelines'), file, 'two')
    expect(ran()).toBe(false)
  })

  test('through any key that git knows', async () => {
    const keys = execFileSync('git', ['help', '--config'], { encoding: 'utf8', env: ENV })
      .split('\n')
      .filter((key) => /^[\w.<>*-]+\.[a-zA-Z<>*-]+$/.test(key))
      .map((key) => key.replace(/<[^>]+>|\*/g, 'x'))
    expect(keys.length).toBeGreaterThan(400)
    // The short form uses one of 25, with a different start each time.
    const [first, stride] = isLong ? [0, 1] : [Math.floor(Math.random() * 25), 25]
    for (const key of keys.filter((_, index) => index % stride === first)) {
      const hostile = repository()
      const { root, file, ran, clear } = hostile
      configure(hostile, key)
      clear()
      await ask(join(root, 'pipelines'), file, 'two')
      expect([key, ran()]).toEqual([key, false])
    }
  })

  test('the trap works: `git status` runs the filter', () => {
    const hostile = repository()
    const { file, git, ran } = hostile
    configure(hostile, 'filter.x.clean')
    writeFileSync(file, 'two')
    git('status')
    expect(ran()).toBe(true)
  })

  test.each([true, false])(
    'by a committed folder that is itself a git directory (within a repository: %s)',
    async (within) => {
      const inner = repository()
      configure(inner, 'filter.x.clean')
      inner.git('config', 'core.bare', 'false')
      inner.git('config', 'core.worktree', '.')
      const root = realpathSync(tempFolder())
      cpSync(join(inner.root, '.git'), join(root, 'pipelines'), { recursive: true })
      if (within) execFileSync('git', ['init', '-q'], { cwd: root, env: ENV })
      expect(readdirSync(join(root, 'pipelines'))).toContain('HEAD')
      inner.clear()
      const said = await ask(join(root, 'pipelines'), join(root, 'pipelines/p.yaml'), 'two')
      expect([said, inner.ran()]).toEqual([{ version: undefined, changed: undefined }, false])
    },
  )

  test('to fetch what is missing from a remote that is a program', async () => {
    const hostile = repository()
    const { root, file, program, git, ran, clear } = hostile
    configure(hostile, 'remote.origin.url', `ext::${program} %S`)
    for (const [key, value] of [
      ['remote.origin.promisor', 'true'],
      ['extensions.partialClone', 'origin'],
      ['protocol.ext.allow', 'always'],
      ['core.repositoryFormatVersion', '1'],
    ] as const) {
      git('config', key, value)
    }
    const tree = git('rev-parse', 'HEAD^{tree}').trim()
    rmSync(join(root, '.git/objects', tree.slice(0, 2), tree.slice(2)), { force: true })
    expect(() => git('ls-tree', '-r', 'HEAD')).toThrow()
    expect(ran()).toBe(true)
    clear()
    const said = await ask(join(root, 'pipelines'), file, 'two')
    expect([said, ran()]).toEqual([{ version: undefined, changed: undefined }, false])
  })

  test('by a submodule', async () => {
    const outer = repository()
    const inner = repository()
    outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'pipelines/sub')
    outer.git('commit', '-qm', 'sub')
    const gitFolder = join(outer.root, '.git/modules/pipelines/sub')
    execFileSync('git', ['config', '-f', join(gitFolder, 'config'), 'filter.x.clean', inner.program])
    mkdirSync(join(gitFolder, 'info'), { recursive: true })
    writeFileSync(join(gitFolder, 'info/attributes'), ATTRIBUTES)
    inner.clear()
    const file = join(outer.root, 'pipelines/sub/pipelines/p.yaml')
    expect(await ask(join(outer.root, 'pipelines'), file, 'two')).toMatchObject({ version: { dirty: true } })
    expect(inner.ran()).toBe(false)
  })

  test.each([
    ['beside absolute folders', `.::${ENV.PATH}`],
    ['alone', '.'],
    ['by being empty', ''],
  ])('called git, in the working directory, which PATH names %s', async (_case, PATH) => {
    const { root, file, program, ran } = repository()
    cpSync(program, join(root, 'git'))
    const before = process.cwd()
    process.chdir(root)
    try {
      const env = { ...ENV, PATH }
      await gitVersions(env, Date.now)({ file, text: 'one' })
    } finally {
      process.chdir(before)
    }
    expect(ran()).toBe(false)
  })
})

test.runIf(process.getuid?.() === 0)(
  'a repository of somebody else is not asked, unless safe.directory allows it',
  async () => {
    const { root, file, git } = repository()
    const head = git('rev-parse', 'HEAD').trim()
    for (const path of ['.', '.git']) chownSync(join(root, path), 65534, 65534)
    expect(await ask(join(root, 'pipelines'), file, 'one')).toEqual({ version: undefined, changed: undefined })
    const env = { ...ENV, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: root }
    const versionOf = gitVersions(env, Date.now)
    expect(await versionOf({ file, text: 'one' })).toEqual({ commit: head, dirty: false })
  },
)

describe('content is compared without filters', () => {
  test('line ends that git converts are no difference', async () => {
    const { root, file, git } = repository()
    git('config', 'core.autocrlf', 'true')
    writeFileSync(file, 'one\r\ntwo\r\n')
    git('commit', '-qam', 'lines')
    expect(await ask(join(root, 'pipelines'), file, 'one\r\ntwo\r\n')).toMatchObject({
      version: { dirty: false },
      changed: false,
    })
    expect(await ask(join(root, 'pipelines'), file, 'one\r\nTWO\r\n')).toMatchObject({
      version: { dirty: true },
      changed: true,
    })
  })

  test('a file whose pointer Git LFS stored is no difference', async () => {
    const { root, git } = repository()
    const list = join(root, 'pipelines/list.csv')
    const content = 'p1@x.test\n'.repeat(1000)
    const sha256 = createHash('sha256').update(content).digest('hex')
    writeFileSync(list, `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${content.length}\n`)
    git('add', '.')
    git('commit', '-qm', 'list')
    expect(await ask(join(root, 'pipelines'), list, content)).toMatchObject({ changed: false })
    expect(await ask(join(root, 'pipelines'), list, content.replace('p1', 'p2'))).toMatchObject({ changed: true })
  })
})
