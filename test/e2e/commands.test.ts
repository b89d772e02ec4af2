import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { audience, eventsOf, root, spawnService, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { startService } from '../support/host-service.ts'
import { givePeople } from '../support/people.ts'
import { tempFolder } from '../support/temp-folder.ts'

const GOOD = 'version: 1\nname: good\nsteps:\n  - { id: a, uses: groups.list }\n'
const BAD = 'version: 1\nname: bad\nsteps:\n  - id: a\n    uses: groups.lst\n'

describe('validate', () => {
  function folder(): string {
    const path = tempFolder()
    mkdirSync(join(path, 'pipelines/nested'), { recursive: true })
    writeFileSync(join(path, 'pipelines/good.yaml'), GOOD)
    writeFileSync(join(path, 'pipelines/nested/bad.yml'), BAD)
    return path
  }

  test('checks a folder, a file and a glob; exit 0 or 3', async () => {
    const cwd = folder()
    const codes = async (path: string) => (await commandLine(['validate', join(cwd, path)], { cwd })).code
    expect(await codes('pipelines')).toBe(3)
    expect(await codes('pipelines/good.yaml')).toBe(0)
    expect(await codes('pipelines/*.yaml')).toBe(0)
    expect(await codes('pipelines/**/*.yml')).toBe(3)
    expect(await codes('nothing/here.yaml')).toBe(2)
  })

  test('as JSON gives one object a problem, with the names that others build on; needs no service, secrets or state', async () => {
    const cwd = folder()
    const { code, out } = await audience(['validate', '--format', 'json'], { cwd })
    expect(code).toBe(3)
    expect(readdirSync(cwd)).toEqual(['pipelines'])
    expect(eventsOf(out)).toEqual([
      {
        file: 'pipelines/nested/bad.yml',
        line: 5,
        column: 11,
        severity: 'error',
        code: 'unknown-step-type',
        message: expect.any(String),
        hint: expect.stringContaining('groups.list'),
      },
    ])
  })

  test('as GitHub annotations puts each problem on its line', async () => {
    const { out } = await audience(['validate', '--format', 'github'], { cwd: folder() })
    expect(out).toMatch(/^::error file=pipelines\/nested\/bad\.yml,line=5,col=11,title=unknown-step-type::/)
  })
})

test('init writes a project that validates and runs, and writes nothing over', async () => {
  const cwd = tempFolder()
  expect((await commandLine(['init', 'mine'], { cwd })).code).toBe(0)
  const project = join(cwd, 'mine')
  expect((await commandLine(['validate', join(project, 'pipelines')], { cwd: project })).code).toBe(0)
  await givePeople(join(project, '.audience'))
  const quickstart = join(project, 'pipelines/quickstart.yaml')
  const { code, err } = await commandLine(['run', quickstart, '--json'], { cwd: project })
  expect(code, err).toBe(0)
  expect(existsSync(join(project, '.audience/runs.db'))).toBe(true)
  const before = readFileSync(join(project, 'audience.yaml'), 'utf8')
  const again = await commandLine(['init', 'mine'], { cwd })
  expect(again).toMatchObject({ code: 2, out: '' })
  expect(readFileSync(join(project, 'audience.yaml'), 'utf8')).toBe(before)
})

test('a wrong path gets a suggestion, a missing argument names the help, and start in a wrong folder creates nothing', async () => {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  writeFileSync(join(cwd, 'pipelines/nightly.yaml'), '')
  const told = async (...args: string[]) => {
    const { code, err } = await commandLine(args, { cwd })
    expect(code).toBe(2)
    return err
  }
  for (const name of ['nightly', 'pipelines/nigtly.yaml', 'pipelines']) {
    expect(await told('run', join(cwd, name))).toContain(`did you mean ${join(cwd, 'pipelines/nightly.yaml')}?`)
  }
  expect(await told('runs', 'show')).toContain('What to do: audience runs show --help shows how to write it')
  const wrong = tempFolder()
  const { code } = await commandLine(['start'], { cwd: wrong })
  expect([code, readdirSync(wrong)]).toEqual([2, []])
})

test('init names the install of Node 24 where npx ran with an older one', async () => {
  const install = async (node: string) => {
    const env = { npm_config_user_agent: `npm/10.8.2 node/${node} linux x64` }
    return (await commandLine(['init'], { cwd: tempFolder(), env })).out
  }
  expect(await install('v20.19.0')).toMatch(/npm install .*node@24\n/)
  expect(await install('v24.1.0')).not.toContain('node@24')
})

test.each(['pipeline', 'config', 'openapi'])('schema %s prints a JSON document', async (name) => {
  const { code, out } = await commandLine(['schema', name], {})
  expect(code).toBe(0)
  expect(JSON.parse(out)).toBeTypeOf('object')
})

describe('api', () => {
  test('calls any operation, 64-bit ids exact, lists to their end', async () => {
    const service = await startService(tempFolder())
    const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token, AUDIENCE_STATE: tempFolder() }
    const group = await commandLine(['api', 'groups.get', '--id', '9007199254740993'], { env })
    expect(JSON.parse(group.out)).toMatchObject({ groupId: '9007199254740993' })
    const integrations = await commandLine(
      ['api', 'integrations.list', '--status', 'ENABLED', '--purpose', 'ACTIVATION', '--all'],
      { env },
    )
    expect(eventsOf(integrations.out).length).toBeGreaterThan(10)
    const missing = await commandLine(['api', 'groups.get', '--id', '4711'], { env })
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toContain('GET /api/groups/4711')
    const invalid = await commandLine(['api', 'segments.update', '--id', 'x', '--segmentName', ' '], { env })
    expect(invalid.code).toBe(3)
    expect(invalid.err).toContain('segmentName')
  })

  test('a field that is missing, or not one of its values, is a usage error', async () => {
    expect((await commandLine(['api', 'groups.get'], {})).code).toBe(2)
    expect(
      (await commandLine(['api', 'files.list', '--uploadSignal', 'ZIPCODE', '--resultContent', 'BGID'], {})).code,
    ).toBe(2)
  })
})

describe('service', () => {
  test('sample gives the same keys every time', async () => {
    const cwd = tempFolder()
    const sample = (name: string, seed: string) =>
      commandLine(['service', 'sample', '--signal', 'EMAIL', '--rows', '50', '--seed', seed, '-o', name], { cwd })
    expect((await sample('a.csv', '7')).code).toBe(0)
    await sample('b.csv', '7')
    await sample('c.csv', '8')
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8')
    expect(read('a.csv').trim().split('\n')).toHaveLength(51)
    expect(read('b.csv')).toBe(read('a.csv'))
    expect(read('c.csv')).not.toBe(read('a.csv'))
  })

  test('plays the network of a file; a file that is not valid is refused with its place', async () => {
    const folder = tempFolder()
    const file = join(folder, 'network.yaml')
    const env = { AUDIENCE_STATE: join(folder, 'state') }
    writeFileSync(file, 'version: 1\nparticipants:\n  - { id: 7, name: Seven }\npopulation: { people: 500 }\n')
    const child = startAudience(['service', 'start', '--json', '--network', file, '--strict'], { env })
    expect(JSON.parse(await untilOutput(child, /\n/))).toMatchObject({
      participantId: 7,
      url: expect.stringMatching(/\/p\/7$/),
    })
    writeFileSync(file, 'version: 1\nparticipnts: []\n')
    const { code, err } = await commandLine(['service', 'start', '--network', file], {
      env: { AUDIENCE_STATE: join(folder, 'other') },
    })
    expect(code).toBe(3)
    expect(err).toContain('network.yaml:2:1 error')
  })

  test('reset takes out what was put in, also of a service that another process runs', async () => {
    const state = tempFolder()
    await startService(state)
    const env = { AUDIENCE_STATE: state }
    expect((await commandLine(['run', 'pipelines/quickstart.yaml'], { env })).code).toBe(0)
    expect((await audience(['service', 'reset'], { env })).code).toBe(0)
    expect((await commandLine(['api', 'segments.list', '--all'], { env })).out).toBe('')
    expect((await commandLine(['run', 'pipelines/quickstart.yaml'], { env })).code).toBe(0)
  })

  test('a second one on the same state says where the first is', async () => {
    const state = tempFolder()
    const service = await startService(state)
    const { code, err } = await audience(['service', 'start'], { env: { AUDIENCE_STATE: state } })
    expect(code).toBe(1)
    expect(err).toContain(service.url)
  })

  test('whoever used the service of a process that was killed goes on with its own', async () => {
    const state = tempFolder()
    const { process: host, stop } = await spawnService(state)
    onTestFinished(stop)
    const run = startAudience(['run', 'pipelines/quickstart.yaml', '--json'], {
      env: { AUDIENCE_STATE: state },
      cwd: root,
    })
    await untilOutput(run, /job\.status/)
    host.kill('SIGKILL')
    const { code, err } = await run.ended
    expect(code, err).toBe(0)
  })
})

test('--version, help, and no command at all', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(await audience(['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
  const help = await commandLine(['--help'], {})
  expect(help.code).toBe(0)
  for (const command of ['run', 'validate', 'runs', 'api', 'init', 'schema', 'service'])
    expect(help.out).toMatch(new RegExp(`^  ${command} `, 'm'))
  expect((await commandLine([], {})).code).toBe(2)
  expect((await commandLine(['help', 'run'], {})).out).toContain('Examples:')
})

test('status --watch shows the status again and again, until an interrupt', async () => {
  const child = startAudience(['status', '--watch'], { cwd: tempFolder() })
  await untilOutput(child, /daemon[\s\S]*daemon/)
  child.kill('SIGINT')
  expect((await child.ended).code).toBe(0)
})
