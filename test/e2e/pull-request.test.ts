import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { jobEnv, startForge, TOKEN } from '../cli/ci/forge.ts'
import { root } from '../support/audience.ts'
import { requireFreshBuild } from '../support/fresh-build.ts'
import { GIT_ENV } from '../support/git-env.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

// The action for GitHub and the template for GitLab, run step by step as their runners do.

interface Step {
  readonly name: string
  readonly id?: string
  readonly shell: string
  readonly run: string
  readonly env?: Readonly<Record<string, string>>
  readonly 'working-directory': string
}

const ACTION = join(root, 'deploy/github/action.yml')
const action = parse(readFileSync(ACTION, 'utf8'))
const steps: readonly Step[] = action.runs.steps
const template = parse(readFileSync(join(root, 'deploy/gitlab/audience.gitlab-ci.yml'), 'utf8'))

const service = serviceOfFile()
beforeAll(() => requireFreshBuild())

const PIPELINE = `version: 1
name: p
triggers:
  - { id: nightly, schedule: { cron: "0 2 * * *", timezone: UTC } }
steps:
  - { id: groups, uses: groups.list }
`
/** A name that could act as a command, an expression, a mention, HTML and the mark of the comment. */
const HOSTILE = 'a`touch pwned`$(touch pwned)${{ github.token }}@everyone <!-- audience ci: pipelines -->.yaml'

/** A checkout of a pull request, and the environment of a runner. */
async function pullRequest(files: Readonly<Record<string, string>> = { 'pipelines/p.yaml': `${PIPELINE}# changed\n` }) {
  const forge = await startForge()
  const folder = tempFolder()
  const checkout = join(folder, 'checkout')
  const runner = join(folder, 'runner')
  for (const one of [checkout, runner, join(runner, 'bin')]) mkdirSync(one, { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, env: GIT_ENV, stdio: 'pipe' })
  const write = (all: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(checkout, path)), { recursive: true })
      writeFileSync(join(checkout, path), text)
    }
    git('add', '.')
    git('commit', '-qm', 'change')
  }
  git('init', '-q', '-b', 'main')
  write({ 'pipelines/p.yaml': PIPELINE })
  git('clone', '-q', '--bare', '.', join(runner, 'origin.git'))
  git('remote', 'add', 'origin', join(runner, 'origin.git'))
  git('fetch', '-q', 'origin')
  git('checkout', '-q', '-b', 'branch`touch${IFS}pwned`')
  write(files)
  // Installing takes a minute and needs a registry. Here, npm only records where it was called.
  writeFileSync(join(runner, 'bin/npm'), `#!/bin/sh\npwd >> "${runner}/npm"\necho "$@" >> "${runner}/npm"\n`)
  chmodSync(join(runner, 'bin/npm'), 0o755)
  const event = join(runner, 'event.json')
  const title = '`touch pwned` $(touch pwned) "; touch pwned #'
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7, title, head: { sha: 'abc123' } } }))
  const base = {
    ...{ ...GIT_ENV, PATH: `${join(runner, 'bin')}:${process.env.PATH}`, HOME: runner },
    ...{ AUDIENCE_BASE_URL: service().url, AUDIENCE_TOKEN: service().token },
  }
  const at = (name: string) => (existsSync(join(runner, name)) ? readFileSync(join(runner, name), 'utf8') : '')
  return {
    forge,
    checkout,
    runner,
    event,
    base,
    summary: () => at('summary'),
    output: () => at('output'),
    npm: () => at('npm'),
  }
}

type PullRequest = Awaited<ReturnType<typeof pullRequest>>

/** Like GitHub's runner: puts the values of expressions into the environment and runs a step as a bash script. */
async function runAction(
  { forge, checkout, runner, event, base }: PullRequest,
  given: Readonly<Record<string, string>> = {},
  run = 100,
) {
  const values = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? (input as { default: string }).default]),
  )
  const expressions = (text: string): string =>
    text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
      if (name === 'github.action_path') return dirname(ACTION)
      if (name === 'github.token') return TOKEN
      if (name.startsWith('inputs.')) return expressions(values[name.slice('inputs.'.length)] ?? '')
      throw new Error(`this runner does not know ${name}`)
    })
  let out = ''
  for (const step of steps) {
    const script = join(runner, 'step.sh')
    writeFileSync(script, step.run)
    const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, expressions(value)])
    const ended = await started('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: join(
        step['working-directory'] === '.' ? checkout : '',
        expressions(step['working-directory']).replace(/^\.$/, checkout),
      ),
      env: {
        ...base,
        ...jobEnv(forge.api, { eventFile: event, run }),
        ...{ GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'branch`touch${IFS}pwned`', RUNNER_TEMP: runner },
        ...{ GITHUB_STEP_SUMMARY: join(runner, 'summary'), GITHUB_OUTPUT: join(runner, 'output') },
        ...Object.fromEntries(env),
      },
    })
    out += ended.out
    if (ended.code !== 0) return { code: ended.code, out }
  }
  return { code: 0, out }
}

function started(program: string, args: readonly string[], options: { cwd: string; env: Record<string, string> }) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      out += text
    })
  return new Promise<{ code: number | null; out: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out })),
  )
}

describe('the action for GitHub', () => {
  test('is a composite action as GitHub takes it, and the shell gets no part of an expression', () => {
    expect(Object.keys(action).sort()).toEqual(['description', 'inputs', 'name', 'outputs', 'runs'])
    expect(action.runs.using).toBe('composite')
    const known = ['name', 'id', 'shell', 'run', 'env', 'working-directory']
    for (const step of steps) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(step)))
      // A composite step needs its shell, and another action would be a download.
      expect(step.shell).toBe('bash')
      expect(step.run).not.toContain('${{')
      execFileSync('bash', ['-n', '-c', step.run])
    }
    for (const input of Object.values(action.inputs)) {
      expect(input).toMatchObject({ description: expect.any(String), default: expect.any(String) })
    }
    const used = [...JSON.stringify(steps).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(used.sort()).toEqual(Object.keys(action.inputs).sort())
  })

  test('run twice, it leaves one comment with all checks, and the program is never that of the branch', async () => {
    const reads = 'do: [{ run: {}, expect: { status: succeeded } }]'
    const pull = await pullRequest({
      'pipelines/p.yaml': `${PIPELINE}# changed\n`,
      'pipelines/p.test.yaml': `test: p.yaml\ngiven: { from: 2026-10-20 }\ntests: [{ it: reads, ${reads} }]\n`,
    })
    const first = await runAction(pull)
    expect(first, first.out).toMatchObject({ code: 0 })
    const second = await runAction(pull, {}, 101)
    expect(second, second.out).toMatchObject({ code: 0 })
    const { comments } = pull.forge
    expect(comments).toHaveLength(1)
    expect(comments[0]?.body).toMatch(/^<!-- audience ci: pipelines -->\n<!-- run 101 -->\n## Audience pipelines: /)
    for (const part of [
      '| validate | ✅ passed',
      '| simulate | ✅ passed',
      '| plan | ✅ passed',
      '### Plan of `p`',
      'abc123',
    ])
      expect(comments[0]?.body).toContain(part)
    expect(pull.summary()).toContain('### Plan of `p`')
    expect(pull.output()).toBe(`junit=${pull.runner}/audience-tests.xml\n`.repeat(2))
    expect(readFileSync(`${pull.runner}/audience-tests.xml`, 'utf8')).toContain('<testsuite')
    expect(pull.npm()).toBe(`${root}\nci --no-audit --no-fund\n`.repeat(2))
    for (const secret of [TOKEN, service().token]) expect(first.out + comments[0]?.body).not.toContain(secret)
  })

  test('the branch of a fork, whose token may not write and which has no secrets, gets the summary', async () => {
    const pull = await pullRequest()
    pull.forge.faults.push({ method: 'POST', status: 403 })
    const { base } = pull
    const ended = await runAction({ ...pull, base: { ...base, AUDIENCE_TOKEN: '' } }, { checks: 'validate,plan' })
    expect(ended, ended.out).toMatchObject({ code: 0 })
    expect(ended.out).toContain('::warning::no comment was written: the token is not allowed to write one')
    expect(pull.forge.comments).toEqual([])
    expect(pull.summary()).toContain('| plan | ⚪ not known |')
  })

  test('what a stranger names is text: in the shell, in the log, in the comment', async () => {
    const pull = await pullRequest({ [`pipelines/${HOSTILE}`]: 'version: 1\nname: "::error::x"\nsteps: 3\n' })
    symlinkSync(join(pull.runner, 'outside.xml'), join(pull.checkout, 'audience-tests.xml'))
    const ended = await runAction(pull, {
      paths: 'pipelines "; touch pwned;" $(touch pwned)',
      checks: 'validate,simulate',
    })
    expect(ended, ended.out).toMatchObject({ code: 1 })
    for (const folder of [pull.checkout, root, pull.runner]) expect(existsSync(join(folder, 'pwned'))).toBe(false)
    expect(existsSync(join(pull.runner, 'outside.xml'))).toBe(false)
    const [comment] = pull.forge.comments
    expect(comment?.body).toContain('❌ failed')
    expect(comment?.body.slice(60)).not.toMatch(/<!--|@everyone|touch pwned`/)
    expect((await runAction(pull, { checks: 'validate' }, 102)).code).toBe(1)
    expect(pull.forge.comments).toHaveLength(1)
  })

  test('only plan has the environment', async () => {
    const pull = await pullRequest({
      'pipelines/p.yaml': PIPELINE.replace('groups.list', 'groups.list # ${{ env.AUDIENCE_TOKEN }}'),
      'audience.yaml': 'policy: { env: [AUDIENCE_TOKEN, AUDIENCE_COMMENT_TOKEN] }\n',
      'pipelines/q.yaml': `version: 1\nname: q\nsteps:\n  - { id: a, uses: approval.wait, with: { message: "\${{ env.AUDIENCE_TOKEN }}" } }\n`,
    })
    const ended = await runAction(pull)
    for (const secret of [TOKEN, service().token])
      expect(ended.out + pull.summary() + pull.forge.comments[0]?.body).not.toContain(secret)
  })
})

describe('the template for GitLab', () => {
  const job = template.audience

  async function runJob({ forge, checkout, runner, base }: PullRequest, own: Readonly<Record<string, string>> = {}) {
    const folder = join(runner, 'program')
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    const program = `#!/bin/sh\nexec "${root}/node_modules/.bin/node" "${root}/dist/main.js" "$@"\n`
    writeFileSync(join(folder, 'node_modules/.bin/audience'), program, { mode: 0o755 })
    return started('sh', ['-e', '-c', job.script.join('\n')], {
      cwd: checkout,
      env: {
        ...{ ...base, ...job.variables, ...jobEnv(forge.api, {}) },
        ...{ CI_PROJECT_DIR: checkout, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' },
        ...{ AUDIENCE_FOLDER: folder, AUDIENCE_PACKAGE: 'git+https://x.test/audience.git#v1', ...own },
      },
    })
  }

  test('its script is texts that a shell takes', () => {
    for (const line of job.script) {
      expect(line).toEqual(expect.any(String))
      execFileSync('sh', ['-n', '-c', line])
    }
  })

  test('run twice, it leaves one note, and its files are never written through a link of the branch', async () => {
    const pull = await pullRequest()
    const own = { AUDIENCE_COMMENT_TOKEN: TOKEN }
    const ended = await runJob(pull, own)
    expect(ended, ended.out).toMatchObject({ code: 0 })
    execFileSync('rm', ['-f', 'audience-report.md'], { cwd: pull.checkout })
    symlinkSync(join(pull.runner, 'outside.md'), join(pull.checkout, 'audience-report.md'))
    expect((await runJob(pull, { ...own, AUDIENCE_CHECKS: 'plan' })).code).toBe(0)
    expect(pull.forge.comments.map(({ body }) => body.split('\n')[0])).toEqual(['<!-- audience ci: pipelines -->'])
    expect(pull.forge.comments[0]?.body).toContain('### Plan of `p`')
    expect(existsSync(join(pull.runner, 'outside.md'))).toBe(false)
    expect(readFileSync(join(pull.checkout, 'audience-report.md'), 'utf8')).toContain('### Plan of `p`')
  })

  test('without a token for notes it has the report, and without a package it says what is missing', async () => {
    const pull = await pullRequest()
    const ended = await runJob(pull, { AUDIENCE_CHECKS: 'validate' })
    expect(ended, ended.out).toMatchObject({ code: 0 })
    expect(pull.forge.requests).toEqual([])
    const without = await runJob(pull, { AUDIENCE_PACKAGE: '' })
    expect(without.code).not.toBe(0)
    expect(without.out).toContain('name the package')
  })
})
