import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { GIT_ENV } from '../support/git-env.ts'
import { shell } from '../support/shell.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Represents every token and secret of a CI job. */
const CANARY = 'canary-7f3a91c4e2b8'
type Files = Readonly<Record<string, string | { readonly link: string } | null>>

const document = (steps: string, head = '') => `version: 1\nname: p\n${head}steps:\n${steps}`
const upload = (file: string) =>
  document(
    `  - { id: upload, uses: files.upload, with: { file: "${file}", uploadSignal: EMAIL, resultContent: BGID } }\n`,
  )
const prepare = (from: string, how = 'column: email') =>
  document(`  - { id: list, uses: files.prepare, with: { from: ${from}, ${how}, signal: EMAIL } }\n`)
const writing = (text: string) => `require('fs').writeFileSync(process.argv[1], ${JSON.stringify(text)})`
/** A hostile command: it writes its environment to a file outside the repository. */
const stealing = (trace: string) =>
  `[node, -e, "require('fs').writeFileSync('${trace}', JSON.stringify(process.env))", "{out}"]`

/** A checkout of a pull request: the files of `base` are on main, and `branch` changes them. */
function pullRequest(base: Files, branch: Files) {
  const root = realpathSync(tempFolder())
  const outside = realpathSync(tempFolder())
  const secret = join(outside, 'secret.txt')
  writeFileSync(secret, `email\n${CANARY}@example.com\nkey: [${CANARY}\n`)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env: GIT_ENV, stdio: 'pipe', encoding: 'utf8' })
  const write = (files: Files) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(root, path)
      rmSync(file, { recursive: true, force: true })
      if (content === null) continue
      mkdirSync(dirname(file), { recursive: true })
      if (typeof content === 'string') writeFileSync(file, content, { mode: 0o755 })
      else symlinkSync(content.link.replace('SECRET', secret).replace('OUTSIDE', outside), file)
    }
  }
  write({ 'pipelines/p.yaml': document('  - { id: groups, uses: groups.list }\n'), ...base })
  shell(
    'git init -q -b main; git add .; git commit -qm base; git update-ref refs/remotes/origin/main HEAD; git checkout -qb branch',
    { cwd: root, env: GIT_ENV },
  )
  write(branch)
  shell('git add .; git commit -q --allow-empty -m branch', { cwd: root, env: GIT_ENV })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: outside,
    GIT_CONFIG_NOSYSTEM: '1',
    SECRET: CANARY,
    GITHUB_TOKEN: CANARY,
  }
  const plan = async (args: readonly string[] = [], own: Readonly<Record<string, string>> = {}) => {
    const more = args.includes('--base') ? [] : ['--base', 'origin/main']
    const given = args.includes('--no-base') ? [] : more
    const rest = args.filter((arg) => arg !== '--no-base')
    const named =
      rest.some((arg) => arg.endsWith('.yaml')) || rest.includes('--changed-since')
        ? []
        : [join(root, 'pipelines/p.yaml')]
    const { code, out, err } = await commandLine(['plan', ...named, '--untrusted', ...given, ...rest], {
      cwd: root,
      env: { ...env, ...own },
    })
    expect(out + err).not.toContain(CANARY)
    return { code, out, err }
  }
  return { root, outside, secret, git, plan, trace: join(outside, 'trace') }
}

describe('commands and tokens come from the base branch', () => {
  test('a source that the branch adds is not run, and the plan says so', async () => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const { plan } = pullRequest(
      {},
      {
        'audience.yaml': `sources: { crm: { command: ${stealing(trace)} } }\n`,
        'pipelines/p.yaml': prepare('{ source: crm }'),
      },
    )
    const { code, out } = await plan()
    expect(existsSync(trace)).toBe(false)
    expect(out).toContain('source crm is not read: the audience.yaml of origin/main has no such source')
    expect(out).toContain('it differs in sources.crm')
    expect(code).toBe(0)
  })

  test('a command that the branch changes is run as the base has it', async () => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const good = `sources: { crm: { command: [node, -e, ${JSON.stringify(writing('email\na@example.com\n'))}, "{out}"] } }\n`
    const { plan } = pullRequest(
      { 'audience.yaml': good },
      {
        'audience.yaml': `sources: { crm: { command: ${stealing(trace)} } }\n`,
        'pipelines/p.yaml': prepare('{ source: crm }'),
      },
    )
    const { out } = await plan()
    expect(existsSync(trace)).toBe(false)
    expect(out).toContain('1 key')
  })

  test.each([
    ['a script by its relative path', '[./export.sh, "{out}"]', 'export.sh'],
    ['a script that a program runs', '[sh, export.sh, "{out}"]', 'export.sh'],
    ['a script with dots in its path', '[sh, pipelines/../export.sh, "{out}"]', 'export.sh'],
  ])('a command of the base is not run if it runs a file of the branch: %s', async (_case, command, script) => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const { plan } = pullRequest(
      { 'audience.yaml': `sources: { crm: { command: ${command} } }\n`, [script]: '#!/bin/sh\n' },
      { [script]: `#!/bin/sh\nenv > ${trace}\n`, 'pipelines/p.yaml': prepare('{ source: crm }') },
    )
    const { out } = await plan()
    expect(existsSync(trace)).toBe(false)
    expect(out).toMatch(/source crm is not read: its command runs \S*export\.sh of the working tree/)
  })

  test('no program of the branch is found by its name, and none reads its configuration', async () => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const tool = `#!/bin/sh\nenv > ${trace}\n`
    const { plan, root } = pullRequest(
      {
        'audience.yaml':
          'sources: { crm: { command: [export-tool, "{out}"] }, npm: { command: [npm, run, export, "{out}"] } }\n',
      },
      {
        'node_modules/.bin/export-tool': tool,
        'bin/export-tool': tool,
        'package.json': JSON.stringify({ scripts: { export: `env > ${trace}` } }),
        '.npmrc': 'node-options=--require=./evil.cjs\n',
        'evil.cjs': `require('fs').writeFileSync('${trace}', 'x')`,
        'pipelines/p.yaml': prepare('{ source: crm }'),
        'pipelines/n.yaml': prepare('{ source: npm }'),
      },
    )
    const PATH = [join(root, 'node_modules/.bin'), 'bin', '', process.env.PATH].join(':')
    const { out } = await plan([], { PATH })
    expect(out).toContain('the command of source crm cannot be started: ENOENT')
    await plan([join(root, 'pipelines/n.yaml')], { PATH })
    expect(existsSync(trace)).toBe(false)
  })

  test.each([
    ['a token file', 'tokenFile: token.txt', 'token.txt'],
    ['a token command', 'tokenCommand: [./token.sh]', './token.sh'],
    ['a token command with a script', 'tokenCommand: [sh, token.sh]', 'token.sh'],
  ])('%s of the working tree gives no token', async (_case, token, named) => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const config = `profile: prod\nprofiles: { prod: { baseUrl: "http://127.0.0.1:9", ${token} } }\n`
    const script = { 'token.sh': `#!/bin/sh\nenv > ${trace}\n`, 'token.txt': { link: 'SECRET' } }
    const { plan } = pullRequest({ 'audience.yaml': config, 'token.sh': '#!/bin/sh\n', 'token.txt': 'x' }, script)
    const { code, err } = await plan()
    expect([code, existsSync(trace)]).toEqual([3, false])
    expect(err).toContain(named)
    expect(err).toContain('a file in a working tree that others wrote')
  })

  test('the token goes to the host that the base names', async () => {
    const [good, evil] = [await listening(), await listening()]
    const config = (port: number) =>
      `profile: prod\nprofiles: { prod: { baseUrl: "http://127.0.0.1:${port}", tokenEnv: PROD_TOKEN } }\n`
    const { plan } = pullRequest({ 'audience.yaml': config(good.port) }, { 'audience.yaml': config(evil.port) })
    const { out, err, code } = await plan([], { PROD_TOKEN: CANARY })
    expect([good.tokens.length > 0, evil.tokens]).toEqual([true, []])
    expect(good.tokens[0]).toBe(`Bearer ${CANARY}`)
    expect([code, out + err]).toEqual([expect.any(Number), expect.stringContaining('it differs in profiles.prod')])
  })

  test('a state that came with the branch is not used, nor the address of a service in it', async () => {
    const evil = await listening()
    const endpoint = {
      pid: process.pid,
      url: `http://127.0.0.1:${evil.port}`,
      token: 'x',
      control: { url: `http://127.0.0.1:${evil.port}`, token: 'x' },
    }
    const { plan } = pullRequest(
      { 'audience.yaml': 'profile: local\nstate: state\n' },
      { 'state/service/endpoint.json': JSON.stringify(endpoint) },
    )
    const { code, out } = await plan()
    expect([code, evil.tokens]).toEqual([0, []])
    expect(out).toContain('because it is in the working tree')
  })
})

describe('the base', () => {
  const command = `sources: { crm: { command: [node, -e, ${JSON.stringify(writing('email\na@example.com\n'))}, "{out}"] } }\n`
  const branch = { 'pipelines/p.yaml': prepare('{ source: crm }') }

  test.each(['GITHUB_BASE_REF', 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME'])(
    'is named by %s, and no tag takes its place',
    async (name) => {
      const { plan, git, trace } = pullRequest({ 'audience.yaml': command }, branch)
      writeTag(git, trace)
      const { out } = await plan(['--no-base'], { [name]: 'main' })
      expect([out.includes('1 key'), existsSync(trace)]).toEqual([true, false])
      expect(out).toContain('audience.yaml comes from refs/remotes/origin/main')
    },
  )

  test('is refused if its name means more than one thing', async () => {
    const { plan, git, trace } = pullRequest({ 'audience.yaml': command }, branch)
    writeTag(git, trace)
    const { code, err } = await plan()
    expect([code, existsSync(trace)]).toEqual([2, false])
    expect(err).toContain('origin/main is ambiguous: it names refs/remotes/origin/main and refs/tags/origin/main')
  })

  test('is refused if git does not know it', async () => {
    const { plan } = pullRequest({ 'audience.yaml': command }, branch)
    expect(await plan(['--base', 'origin/gone'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('git does not know origin/gone'),
    })
    expect(await plan(['--no-base'], { GITHUB_BASE_REF: '--upload-pack=x' })).toMatchObject({ code: 2 })
  })

  test('is missing: no command runs, and the plan says what it does without', async () => {
    const { plan } = pullRequest({ 'audience.yaml': command }, branch)
    const { code, out } = await plan(['--no-base'])
    expect(code).toBe(0)
    expect(out).toContain('no base was given, so no audience.yaml is used')
    expect(out).toContain('source crm is not read')
  })

  test('has a link in the place of audience.yaml: that is refused', async () => {
    const { plan } = pullRequest({ 'audience.yaml': { link: 'SECRET' } }, {})
    expect(await plan()).toMatchObject({ code: 2, err: expect.stringContaining('is a link or cannot be read') })
  })

  test('counts where the branch has a link in the place of audience.yaml, and nothing of its target is shown', async () => {
    const { plan } = pullRequest({ 'audience.yaml': command }, { ...branch, 'audience.yaml': { link: 'SECRET' } })
    const { out } = await plan()
    expect(out).toContain('1 key')
    expect(out).toContain('audience.yaml, which cannot be used as it is')
  })

  test('counts in a folder of the repository, and a branch cannot put one nearer', async () => {
    const trace = join(realpathSync(tempFolder()), 'trace')
    const { plan } = pullRequest(
      { 'audience.yaml': command },
      { ...branch, 'pipelines/audience.yaml': `sources: { crm: { command: ${stealing(trace)} } }\n` },
    )
    await plan()
    expect(existsSync(trace)).toBe(false)
  })
})

describe('documents of the branch read its files and nothing else', () => {
  test.each<[string, string, Files]>([
    ['an absolute path', '/etc/hostname', {}],
    ['a path with dots', '../../../../../../../../etc/hostname', {}],
    ['a link', 'link.csv', { 'pipelines/link.csv': { link: 'SECRET' } }],
    ['a folder that is a link', 'folder/secret.txt', { 'pipelines/folder': { link: 'OUTSIDE' } }],
    ['the configuration of git', '../.git/config', {}],
  ])('%s is refused', async (_case, file, more) => {
    const { plan } = pullRequest({}, { 'pipelines/p.yaml': upload(file), ...more })
    const { out, err, code } = await plan()
    expect(code).not.toBe(0)
    expect(out + err).toMatch(/is outside the project|is in a git folder/)
    const { plan: listed } = pullRequest({}, { 'pipelines/p.yaml': prepare(`{ file: "${file}" }`), ...more })
    expect((await listed()).code).not.toBe(0)
  })

  test('a folder of policy.fileRoots that becomes a link opens nothing', async () => {
    const { plan } = pullRequest(
      { 'audience.yaml': 'policy: { fileRoots: [data] }\n', 'data/a.csv': 'email\n' },
      { data: { link: 'OUTSIDE' }, 'pipelines/p.yaml': upload('../data/secret.txt') },
    )
    const { out, err, code } = await plan()
    expect(code).not.toBe(0)
    expect(out + err).toContain('is outside policy.fileRoots')
  })

  test.each([
    ['a source', 'sources: { crm: { path: data/crm.csv } }\n', prepare('{ source: crm }')],
    ['a source with a pattern', 'sources: { crm: { path: "data/*.csv" } }\n', prepare('{ source: crm }')],
    ['an opt-out file', 'privacy: { suppress: [data/crm.csv] }\n', prepare('{ file: ../people.csv }')],
  ])('%s of the base that becomes a link is not read', async (_case, config, text) => {
    const { plan } = pullRequest(
      { 'audience.yaml': config, 'data/crm.csv': 'email\nb@example.com\n' },
      { 'data/crm.csv': { link: 'SECRET' }, 'people.csv': 'email\na@example.com\n', 'pipelines/p.yaml': text },
    )
    const { out, err } = await plan()
    expect(out + err).toMatch(/leads out of the working tree/)
  })

  test('a document that is a link is not read, so no error shows its lines', async () => {
    const { plan, root } = pullRequest({}, { 'pipelines/evil.yaml': { link: 'SECRET' } })
    const { code, err } = await plan([join(root, 'pipelines/evil.yaml')])
    expect(code).toBe(3)
    expect(err).toContain('outside the project')
    await plan(['--changed-since', 'origin/main'])
  })

  test('a nested pipeline and a file of days off outside are refused, and nothing of them is shown', async () => {
    const nested = document('  - { id: below, uses: pipelines.run, with: { file: link.yaml } }\n')
    const days = document(
      '  - { id: groups, uses: groups.list }\n',
      'triggers: [{ id: t, schedule: { cron: "0 5 * * *", exclude: { file: link.yaml } } }]\n',
    )
    for (const text of [nested, days]) {
      const { plan } = pullRequest({}, { 'pipelines/p.yaml': text, 'pipelines/link.yaml': { link: 'SECRET' } })
      expect((await plan()).code).not.toBe(0)
    }
  })

  test.each(["read_text('/proc/self/environ')", "read_csv('SECRET')", "glob('/etc/*')", "read_blob('SECRET')"])(
    'SQL reads its rows and no file: %s',
    async (table) => {
      const { secret } = pullRequest({}, {})
      const sql = JSON.stringify(`SELECT * FROM ${table.replace('SECRET', secret)}`)
      const { plan } = pullRequest(
        {},
        {
          'people.csv': 'email\na@example.com\n',
          'pipelines/p.yaml': prepare('{ file: ../people.csv }', `sql: ${sql}`),
        },
      )
      expect((await plan()).code).toBe(1)
    },
  )

  test('no expression tells anything of the environment, not even a letter', async () => {
    const asking = (letter: string) =>
      document(
        `  - { id: groups, uses: groups.list, if: "\${{ env.SECRET.startsWith('${letter}') }}" }\n` +
          '  - { id: get, uses: groups.get, with: { id: "${{ size(env.SECRET) }}" } }\n',
        'env: [SECRET]\n',
      )
    const [right, wrong] = await Promise.all(
      ['c', 'x'].map((letter) => pullRequest({}, { 'pipelines/p.yaml': asking(letter) }).plan()),
    )
    expect(right?.out).toBe(wrong?.out)
    expect(right?.out).toContain('decided during the run')
  })
})

test('--json and Markdown say the same; --base alone is a mistake', async () => {
  const { plan, root } = pullRequest(
    { 'audience.yaml': 'profile: local\n' },
    { 'audience.yaml': 'profile: local\nruns: 5\n' },
  )
  expect(JSON.parse((await plan(['--json'])).out)).toMatchObject({
    untrusted: { base: 'origin/main', differs: ['runs'], left: [] },
  })
  expect((await plan(['--format', 'markdown'])).out).toMatch(/^> audience.yaml comes from origin\/main/)
  expect(await commandLine(['plan', 'p.yaml', '--base', 'main'], { cwd: root })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--base is only for --untrusted'),
  })
})

/** A tag with the name of the remote branch, whose audience.yaml is hostile. */
function writeTag(git: (...args: string[]) => string, trace: string): void {
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: git('rev-parse', '--show-toplevel').trim(),
    env: GIT_ENV,
    input: `sources: { crm: { command: ${stealing(trace)} } }\n`,
    encoding: 'utf8',
  }).trim()
  git('update-index', '--add', '--cacheinfo', `100644,${blob},audience.yaml`)
  const tree = git('write-tree').trim()
  git('update-ref', 'refs/tags/origin/main', git('commit-tree', tree, '-m', 'tag').trim())
  git('reset', '-q', '--hard')
}

/** A server that records the tokens that it gets. */
async function listening() {
  const tokens: (string | undefined)[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    response.writeHead(403).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, tokens }
}
