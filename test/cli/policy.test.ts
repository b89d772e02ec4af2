import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TOKEN = 'token-of-somebody'

/** A project in a folder next to secrets. */
function project(files: Readonly<Record<string, string>>): string {
  const folder = join(tempFolder(), 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, '../secret.txt'), `${TOKEN}\n`)
  writeFileSync(join(folder, '../child.yaml'), document())
  symlinkSync('../secret.txt', join(folder, 'link.txt'))
  symlinkSync('..', join(folder, 'up'))
  mkdirSync(join(folder, 'data'))
  symlinkSync('../..', join(folder, 'data/up'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

const STEP = '  - { id: list, uses: groups.list }\n'

function document(top = '', steps = STEP): string {
  return `version: 1\nname: p\n${top}steps:\n${steps}`
}

const upload = (file: string) =>
  `  - { id: up, uses: files.upload, with: { file: ${file}, uploadSignal: EMAIL, resultContent: BGID } }\n`
const hook = (url: string) => `  - { id: tell, uses: notify.webhook, with: { url: ${url}, text: x } }\n`

/** The result of `validate` for p.yaml: `line:column+severity code`, and its whole output. */
async function validate(files: Readonly<Record<string, string>>, ...flags: string[]) {
  const cwd = project(files)
  const found = await commandLine(['validate', '--format', 'json', ...flags, join(cwd, 'p.yaml')], { cwd })
  const lines = found.out.split('\n').filter((line) => line !== '')
  const places = lines.map((line) => {
    const { line: at, column, severity, code } = JSON.parse(line)
    return `${at}:${column} ${severity} ${code}`
  })
  return { ...found, places }
}

const POLICY = 'policy: { env: [ALERT_URL, HOOK], webhookHosts: [hooks.example.com], fileRoots: [data, inbox] }\n'

describe('what a policy lists is enforced by validate, at its place', () => {
  test.each<[string, string, string[]]>([
    ['a variable', document('env: [ALERT_URL, HOME]\n'), ['3:18 error env-not-allowed']],
    ['a host', document('', hook('https://evil.example/x')), ['4:60 error host-not-allowed']],
    [
      'a host before an expression',
      document('', hook('"https://evil.example/${{ run.id }}"')),
      ['4:61 error host-not-allowed'],
    ],
    ['a listed host', document('', hook('https://HOOKS.example.com.:8443/x')), []],
    ['a host that only a run knows', document('env: [HOOK]\n', hook('"${{ env.HOOK }}"')), []],
    ['a file', document('', upload('../secret.txt')), ['4:49 error file-not-allowed']],
    ['a file behind a link', document('', upload('link.txt')), ['4:49 error file-not-allowed']],
    [
      'a file behind a folder that is a link',
      document('', upload('data/up/secret.txt')),
      ['4:49 error file-not-allowed'],
    ],
    ['a file in a root', document('', upload('data/a.csv')), []],
    ['a file beside the roots', document('', upload('database/a.csv')), ['4:49 error file-not-allowed']],
    ['an input', document('inputs: { f: { type: file, default: /etc/passwd } }\n'), ['3:37 error file-not-allowed']],
    [
      'a list of files',
      document('inputs: { f: { type: list, items: file, default: [data/a.csv, x.csv] } }\n'),
      ['3:63 error file-not-allowed'],
    ],
    [
      'an input that a trigger gives',
      document(
        'inputs: { f: { type: file } }\ntriggers:\n  - { id: t, schedule: { cron: 0 2 * * * }, inputs: { f: x.csv } }\n',
      ),
      ['5:58 error file-not-allowed'],
    ],
    [
      'watched folders',
      document('triggers:\n  - { id: t, watch: { path: inbox, pattern: "*", done: ../done, failed: /tmp/x } }\n'),
      ['4:56 error file-not-allowed', '4:73 error file-not-allowed'],
    ],
    [
      'a file of days off',
      document('triggers:\n  - { id: t, schedule: { cron: 0 2 * * *, exclude: { file: off.txt } } }\n'),
      ['4:60 error file-not-allowed'],
    ],
    [
      'a pipeline',
      document('', '  - { id: child, uses: pipelines.run, with: { file: ../child.yaml } }\n'),
      ['4:53 error file-not-allowed'],
    ],
    [
      'a file that is given to a pipeline',
      document(
        '',
        '  - { id: child, uses: pipelines.run, with: { file: data/c.yaml, inputs: { f: ../../secret.txt } } }\n',
      ),
      ['4:79 error file-not-allowed'],
    ],
    [
      'files in a list of objects',
      document(
        'inputs:\n  all: { type: list, items: { f: file, t: string }, default: [{ f: ../secret.txt, t: ../secret.txt }] }\n' +
          'triggers:\n  - id: t\n    schedule: { cron: 0 2 * * * }\n    inputs: { all: [{ f: data/a.csv, t: a }, { f: /tmp/x, t: a }] }\n',
      ),
      ['4:68 error file-not-allowed', '8:51 error file-not-allowed'],
    ],
  ])('%s', async (_what, text, places) => {
    const found = await validate({
      'audience.yaml': POLICY,
      'p.yaml': text,
      'off.txt': '2026-12-25',
      'data/a.csv': 'email\n',
      'data/c.yaml': document('inputs: { f: { type: file } }\n'),
    })
    expect(found.places).toEqual(places)
    expect(found.code).toBe(places.length > 0 ? 3 : 0)
  })
})

describe('without a policy', () => {
  const CONFIG = `profiles:
  p: { baseUrl: https://x.example, tokenEnv: MY_TOKEN }
  o: { baseUrl: https://x.example, oauth2: { tokenUrl: https://t.example, clientId: c, clientSecretEnv: MY_SECRET } }
notify: { channels: { ops: { webhook: { urlEnv: OPS_URL } } } }
smtp: { host: mail.example.com, from: a@example.com, user: u, passwordEnv: MAIL_PASSWORD }
`

  test('the variables of audience and of its configuration stay out of documents', async () => {
    const env = 'env: [AUDIENCE_TOKEN, AUDIENCE_X, MY_TOKEN, MY_SECRET, OPS_URL, MAIL_PASSWORD, ALERT_URL]\n'
    const { places } = await validate({ 'audience.yaml': CONFIG, 'p.yaml': document(env) })
    expect(places).toEqual([7, 23, 35, 45, 56, 65].map((column) => `3:${column} error env-not-allowed`))
  })

  test('documents may have the address of a channel where policy.env lists it', async () => {
    const config = `${CONFIG}policy: { env: [OPS_URL] }\n`
    expect((await validate({ 'audience.yaml': config, 'p.yaml': document('env: [OPS_URL]\n') })).places).toEqual([])
  })

  test.each(['http://169.254.169.254/latest', 'http://[fe80::1]/', 'http://0xa9fea9fe/', 'http://100.100.100.200./x'])(
    '%s is an error',
    async (url) => {
      const { places } = await validate({ 'p.yaml': document('', hook(`"${url}"`)) })
      expect(places).toEqual(['4:60 error host-not-allowed'])
    },
  )

  test('files outside the project are a warning, and with --strict hosts that nobody listed', async () => {
    const text = document(
      '',
      upload('../secret.txt') + upload('data/a.csv').replace('id: up', 'id: two') + hook('https://x.example'),
    )
    const files = { 'p.yaml': text, 'data/a.csv': '' }
    expect(await validate(files)).toMatchObject({ code: 0, places: ['4:49 warning file-not-allowed'] })
    expect(await validate(files, '--strict')).toMatchObject({
      code: 3,
      places: ['4:49 warning file-not-allowed', '6:60 warning host-not-allowed'],
    })
  })

  test('the project is the folder of audience.yaml, for documents below it', async () => {
    const pipeline = document('', upload('../data/a.csv'))
    const cwd = project({ 'audience.yaml': '', 'data/a.csv': 'email\n', 'pipelines/p.yaml': pipeline })
    const found = await commandLine(['validate', join(cwd, 'pipelines/p.yaml')], { cwd })
    expect(found.out).toBe('1 pipeline, nothing wrong\n')
  })
})

describe('a file of days off', () => {
  const schedule = (file: string) =>
    document(`triggers:\n  - { id: t, schedule: { cron: 0 2 * * *, exclude: { file: ${file} } } }\n`)

  test.each(['../secret.txt', 'link.txt', 'up/secret.txt'])('outside the project is not read: %s', async (file) => {
    const cwd = project({ 'p.yaml': schedule(file) })
    const { code, out, err } = await commandLine(['validate', '--format', 'github', join(cwd, 'p.yaml')], { cwd })
    expect(out).toContain('file-not-allowed')
    expect(out + err).not.toContain(TOKEN)
    expect(code).toBe(3)
  })

  test.each(['off.txt', 'off.ics'])('inside of it is named by its lines alone: %s', async (file) => {
    const cwd = project({ 'p.yaml': schedule(file), [file]: `\n${TOKEN}\n` })
    for (const format of ['text', 'json', 'github']) {
      const { out, err } = await commandLine(['validate', '--format', format, join(cwd, 'p.yaml')], { cwd })
      expect(out).toContain('line 2')
      expect(out + err).not.toContain(TOKEN)
    }
  })
})

describe('a run enforces it again, where only the run knows', () => {
  async function run(
    files: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    env: Record<string, string> = {},
  ) {
    const cwd = project(files)
    const options = { cwd, env: { AUDIENCE_BASE_URL: 'http://127.0.0.1:9', AUDIENCE_TOKEN: TOKEN, ...env } }
    return commandLine(['run', join(cwd, 'p.yaml'), ...args], options)
  }

  test('a host that came from the environment', async () => {
    const text = document('env: [HOOK]\n', hook('"${{ env.HOOK }}"'))
    const found = await run({ 'audience.yaml': POLICY, 'p.yaml': text }, [], { HOOK: 'http://evil.example/x' })
    expect(found.out).toContain('evil.example is not in policy.webhookHosts of audience.yaml')
    expect(found.code).toBe(1)
  })

  test('the value of a variable that is also in the document, for a run that another process takes as well', async () => {
    const text = document('env: [HOOK]\n', hook('"https://hooks.example/${{ env.HOOK }}/production"'))
    for (const how of [[], ['--detach']]) {
      const found = await run({ 'p.yaml': text }, how, { HOOK: 'production' })
      expect(found.err, how.join()).toContain(
        'the value of the environment variable HOOK is also in the text of the document',
      )
      expect(found.code).toBe(3)
    }
  })

  test('a variable that the policy no longer allows when a waiting run goes on', async () => {
    const ask = '  - { id: ask, uses: approval.wait, with: { message: "May it go?" } }\n'
    const cwd = project({
      'p.yaml': document('env: [HOOK]\n', ask + hook('"${{ env.HOOK }}"')),
      'audience.yaml': '{}\n',
    })
    const env = { AUDIENCE_BASE_URL: 'http://127.0.0.1:9/p/1', AUDIENCE_TOKEN: TOKEN, HOOK: 'https://hooks.example/x' }
    const command = (...args: string[]) =>
      commandLine(args, { cwd, env: { ...env, AUDIENCE_STATE: join(cwd, 'state') } })
    await command('run', join(cwd, 'p.yaml'), '--wait', '0s')
    writeFileSync(join(cwd, 'audience.yaml'), 'policy: { env: [] }\n')
    const { runId } = JSON.parse((await command('runs', 'show', 'latest', '--json')).out)
    expect(await command('runs', 'approve', runId, 'ask')).toMatchObject({ code: 0 })
    const resumed = await command('runs', 'resume', runId)
    expect(resumed).toMatchObject({
      code: 1,
      out: expect.stringContaining('HOOK is not in policy.env of audience.yaml'),
    })
    expect(resumed.out).toContain('add it there if this document should read it; then retry the run')
  })

  test('a metadata address, without a policy and without three repetitions', async () => {
    const found = await run({ 'p.yaml': document('env: [HOOK]\n', hook('"${{ env.HOOK }}"')) }, [], {
      HOOK: 'http://169.254.169.254/latest',
    })
    expect(found.out).toContain('169.254.169.254 is a link-local or metadata address')
    expect(found.code).toBe(1)
  })

  test('a file that came from an expression', async () => {
    const text = document('inputs: { name: { type: string } }\n', upload('"${{ inputs.name }}"'))
    const found = await run({ 'audience.yaml': POLICY, 'p.yaml': text }, ['-i', 'name=link.txt'])
    expect(found.out).toMatch(/link\.txt \(.*secret\.txt\) is outside policy\.fileRoots/)
    expect(found.code).toBe(1)
  })

  test('a pipeline that came from an expression, and its own web hook', async () => {
    const text = document(
      'inputs: { name: { type: string } }\n',
      '  - { id: child, uses: pipelines.run, with: { file: "${{ inputs.name }}" } }\n',
    )
    const files = { 'audience.yaml': POLICY, 'p.yaml': text, 'data/c.yaml': document('', hook('https://evil.example')) }
    expect((await run(files, ['-i', 'name=../child.yaml'])).out).toContain('is outside policy.fileRoots')
    expect((await run(files, ['-i', 'name=data/c.yaml'])).out).toContain('data/c.yaml has 1 error')
  })

  test('a file of the command line: a list of roots holds for people too', async () => {
    const text = document('inputs: { f: { type: file } }\n', upload('"${{ inputs.f }}"'))
    const listed = await run({ 'audience.yaml': POLICY, 'p.yaml': text }, ['-i', 'f=../secret.txt'])
    expect(listed.err).toContain('is outside policy.fileRoots of audience.yaml')
    expect(listed.code).toBe(3)
    // Without a list, a person may name any file.
    expect((await run({ 'p.yaml': text }, ['-i', 'f=../secret.txt'])).out).toContain('up: files.upload')
  })

  test('a document that validate would refuse is not run', async () => {
    const found = await run({ 'p.yaml': document('env: [AUDIENCE_TOKEN]\n') })
    expect(found.err).toContain('AUDIENCE_TOKEN is for audience itself')
    expect(found.code).toBe(3)
  })
})
