import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { segmentStep } from '../support/segment-step.ts'
import { tempFolder } from '../support/temp-folder.ts'

const upload = (file: string) => `  - id: upload
    uses: files.upload
    with: { file: "${file}", uploadSignal: EMAIL, resultContent: BGID }
`
const SEGMENT = segmentStep('segments.ensure', 'mine', 'Mine')
const document = (name: string, steps: string, head = '') => `version: 1\nname: ${name}\n${head}steps:\n${steps}`
const PEOPLE = 'email\nann@example.com\nbob@example.com\n'

/** A project with these files and the embedded service. */
function project(files: Readonly<Record<string, string>>) {
  const cwd = tempFolder()
  for (const [path, text] of Object.entries({ 'audience.yaml': 'profile: local\n', ...files })) {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const plan = (...args: string[]) => commandLine(['plan', ...args], { cwd })
  return { cwd, plan, run: (file: string) => commandLine(['run', file], { cwd }) }
}

test('a missing file does not keep the other steps from being planned; the exit code says that a run would fail', async () => {
  const steps = `${upload('missing.csv')}  - { id: groups, uses: groups.list, needs: [] }\n`
  const { cwd, plan } = project({ 'p.yaml': document('p', steps) })
  const { code, out } = await plan(join(cwd, 'p.yaml'))
  expect(code).toBe(1)
  expect(out).toContain(`upload  fail: there is no file ${join(cwd, 'missing.csv')}`)
  expect(out).toMatch(/groups +read/)
  expect(out).toMatch(/\nPlan: 1 would fail\n$/)
})

test('a default file that is missing is planned as the step that fails', async () => {
  const inputs = 'inputs: { list: { type: file, default: gone.csv } }\n'
  const { cwd, plan } = project({ 'p.yaml': document('p', upload('${{ inputs.list }}'), inputs) })
  const { code, out } = await plan(join(cwd, 'p.yaml'))
  expect([code, out]).toEqual([1, expect.stringContaining('upload  fail: there is no file')])
})

test('each step says once that it depends on the run, and the last line counts', async () => {
  const again = SEGMENT.replace('id: segment', 'id: again').replace(
    'steps.upload.outputs.name',
    'steps.segment.outputs.segmentId',
  )
  const { cwd, plan } = project({ 'p.yaml': document('p', upload('list.csv') + SEGMENT + again), 'list.csv': PEOPLE })
  const { out } = await plan(join(cwd, 'p.yaml'))
  expect(out.match(/segmentFileName/g)).toHaveLength(1)
  expect(out).toContain('again    decided during the run: it depends on segmentFileName')
  expect(out).toMatch(/\nPlan: 1 to upload, 1 to create, 1 decided during the run\n$/)
})

test('what steps remember about the secrets of their document is read as in a run', async () => {
  const ensure = segmentStep('segments.ensure', '${{ env.SEASON }} sale', 'the ${{ env.SEASON }} sale')
  const text = document('p', upload('list.csv') + ensure, 'env: [SEASON]\n')
  const { cwd } = project({ 'p.yaml': text, 'list.csv': PEOPLE })
  const command = (name: string) => commandLine([name, join(cwd, 'p.yaml')], { cwd, env: { SEASON: 'summer' } })
  expect((await command('run')).code).toBe(0)
  expect((await command('plan')).out).toMatch(/\nPlan: 1 to upload, 1 unchanged\n$/)
})

describe('--exit-code', () => {
  test('is 5 while a run would change something, and 0 when everything is as it should be', async () => {
    const { cwd, plan, run } = project({ 'p.yaml': document('p', upload('list.csv') + SEGMENT), 'list.csv': PEOPLE })
    const file = join(cwd, 'p.yaml')
    expect((await plan(file, '--exit-code')).code).toBe(5)
    expect((await plan(file)).code).toBe(0)
    expect((await run(file)).code).toBe(0)
    const { code, out } = await plan(file, '--exit-code')
    expect([code, out]).toEqual([0, expect.stringMatching(/\nPlan: 1 to upload, 1 unchanged\n$/)])
  })
})

test('--format markdown gives the same bytes for the same state, and no text becomes markup', async () => {
  const steps = `${upload('list.csv')}    expect: [{ check: "\${{ outputs.rows > 0 || outputs.name != '<b>@team' }}" }]\n`
  const { cwd, plan } = project({ 'p.yaml': document('p', steps), 'list.csv': PEOPLE })
  const [first, second] = [
    await plan(join(cwd, 'p.yaml'), '--format', 'markdown'),
    await plan(join(cwd, 'p.yaml'), '--format', 'markdown'),
  ]
  expect(first.out).toBe(second.out)
  expect(first.out).toBe(
    [
      '### Plan of `p`',
      '',
      '**Plan: 1 to upload**',
      '',
      '| step | does | why | requests and checks |',
      '|---|---|---|---|',
      "| <code>upload</code> | upload |  | <code>POST /api/files</code><br>is true: <code>outputs.rows &gt; 0 &#124;&#124; outputs.name != '&lt;b&gt;&#64;team'</code> |",
      '',
      '',
    ].join('\n'),
  )
})

describe('--changed-since', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-C', cwd, ...args], {
      encoding: 'utf8',
    })

  async function branch() {
    const one = project({
      'pipelines/list.yaml': document(
        'list',
        upload('${{ inputs.list }}'),
        'inputs: { list: { type: file, default: data/list.csv } }\n',
      ),
      'pipelines/parent.yaml': document(
        'parent',
        '  - { id: child, uses: pipelines.run, with: { file: list.yaml } }\n',
      ),
      'pipelines/other.yaml': document('other', '  - { id: groups, uses: groups.list }\n'),
      'pipelines/given.yaml': document('given', upload('${{ inputs.list }}'), 'inputs: { list: { type: file } }\n'),
      'pipelines/data/list.csv': PEOPLE,
      '.gitignore': '.audience/\n',
    })
    git(one.cwd, 'init', '-q', '-b', 'main')
    git(one.cwd, 'add', '-A')
    git(one.cwd, 'commit', '-q', '-m', 'one')
    git(one.cwd, 'checkout', '-q', '-b', 'mine')
    const planned = async () =>
      (await one.plan('--changed-since', 'main', '--json')).out
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).pipeline)
    return { ...one, planned }
  }

  test('plans what the branch touches: a document, a file that one names, a pipeline that one runs', async () => {
    const { cwd, plan, planned } = await branch()
    expect(await plan('--changed-since', 'main')).toMatchObject({
      code: 0,
      out: 'no pipeline has changed since main\n',
    })
    appendFileSync(join(cwd, 'pipelines/data/list.csv'), 'carl@example.com\n')
    expect(await planned()).toEqual(['list', 'parent'])
    git(cwd, 'commit', '-q', '-a', '-m', 'two')
    expect(await planned()).toEqual(['list', 'parent'])
    writeFileSync(join(cwd, 'pipelines/new.yaml'), document('new', '  - { id: groups, uses: groups.list }\n'))
    expect(await planned()).toEqual(['list', 'new', 'parent'])
  })

  test('leaves out what changed on the other branch since', async () => {
    const { cwd, planned } = await branch()
    git(cwd, 'checkout', '-q', 'main')
    appendFileSync(join(cwd, 'pipelines/other.yaml'), '# changed\n')
    git(cwd, 'commit', '-q', '-a', '-m', 'two')
    git(cwd, 'checkout', '-q', 'mine')
    expect(await planned()).toEqual([])
  })

  test('says which pipeline it cannot plan, because a trigger gives its input', async () => {
    const { cwd, plan } = await branch()
    appendFileSync(join(cwd, 'pipelines/given.yaml'), '# changed\n')
    const { code, out } = await plan('--changed-since', 'main')
    expect([code, out]).toEqual([0, 'given is not planned: the pipeline given needs the input list\n\n'])
  })

  test.each([
    [['--changed-since', 'nowhere'], 'git does not know nowhere'],
    [['--changed-since', '--output=x'], 'git does not know --output=x'],
    [['p.yaml', '--changed-since', 'main'], 'cannot be given together'],
    [[], 'no pipeline to plan is named'],
  ])('refuses %j', async (args, message) => {
    const { plan } = await branch()
    const { code, err } = await plan(...args)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})
