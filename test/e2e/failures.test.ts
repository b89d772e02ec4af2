import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audience, eventsOf, root, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { startService } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const quickstart = readFileSync(join(root, 'pipelines/quickstart.yaml'), 'utf8')
const data = join(root, 'pipelines/data/auto-intenders.csv')

/** The quickstart with one text replaced, in its own folder. */
function changed(from: string, to: string): { file: string; folder: string; state: string } {
  const folder = tempFolder()
  const file = join(folder, 'changed.yaml')
  expect(quickstart).toContain(from)
  writeFileSync(file, quickstart.replace('data/auto-intenders.csv', data).replace(from, to))
  return { file, folder, state: join(folder, 'state') }
}

describe('nothing is sent and nothing is started, exit 3, with the place', () => {
  test.each([
    [
      'an unknown key',
      '    with:\n      file',
      '    wiht:\n      file',
      /changed\.yaml:15:5 error .*wiht.*\n[\s\S]*did you mean with/,
    ],
    ['bad YAML', 'steps:', 'steps: [', /changed\.yaml:\d+:\d+ error /],
    [
      'an unknown step type',
      'files.upload',
      'files.uplaod',
      /changed\.yaml:14:11 error [\s\S]*did you mean files\.upload/,
    ],
  ])('%s', async (_name, from, to, expected) => {
    const { file, state } = changed(from, to)
    const { code, out, err } = await commandLine(['run', file, '--json'], { env: { AUDIENCE_STATE: state } })
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toMatch(expected)
    expect(existsSync(state)).toBe(false)
  })
})

test('a step that fails says which, where, what was asked, what the service said and what to do; exit 1', async () => {
  const { file, state } = changed('groupId: { type: integer, default: 9001', 'groupId: { type: integer, default: 4711')
  const { code, out } = await commandLine(['run', file, '--json'], { env: { AUDIENCE_STATE: state } })
  expect(code).toBe(1)
  const events = eventsOf(out)
  const failed = events.find((event) => event.step === 'match' && event.event === 'step.finished')
  expect(failed).toMatchObject({
    status: 'failed',
    error: {
      at: { file, line: 30 },
      request: {
        operation: 'matches.create',
        method: 'POST',
        path: '/api/segments/match',
        status: 400,
        outcome: 'rejected',
      },
    },
  })
  const { error } = failed as { error: { hint: string; request: { detail: string } } }
  expect(error.request.detail).toContain('4711')
  expect(error.hint).not.toBe('')
  expect(events.at(-1)).toMatchObject({ event: 'run.finished', status: 'failed' })
  expect(events.some((event) => event.step === 'activate' && event.event === 'step.started')).toBe(false)

  const plain = await commandLine(['run', file], { env: { AUDIENCE_STATE: state } })
  expect(plain.code).toBe(1)
  expect(plain.out).toMatch(/match: failed/)
  expect(plain.out).toContain('POST /api/segments/match was rejected: 400')
  expect(plain.out).toContain(`${file}:30:9`)
  expect(plain.out).toContain('What to do:')
})

describe('exit 4', () => {
  test('when the token is refused', async () => {
    const service = await startService(tempFolder())
    const env = { AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: 'wrong-token-0815', AUDIENCE_STATE: tempFolder() }
    const { code, out, err } = await commandLine(['run', 'pipelines/quickstart.yaml'], { env })
    expect(code, out + err).toBe(4)
    expect(out + err).toContain('401')
    expect(out + err).not.toContain('wrong-token-0815')
  })

  test('when there is no token', async () => {
    const env = { AUDIENCE_BASE_URL: 'http://127.0.0.1:1', AUDIENCE_STATE: tempFolder() }
    const { code, err } = await commandLine(['run', 'pipelines/quickstart.yaml'], { env })
    expect(code).toBe(4)
    expect(err).toContain('AUDIENCE_TOKEN')
  })
})

describe('exit 2', () => {
  test.each([
    ['an unknown command', ['rnu', 'x.yaml'], 'Did you mean run?'],
    ['an unknown option', ['run', 'pipelines/quickstart.yaml', '--jsn'], 'Did you mean --json?'],
    ['an unknown input', ['run', 'pipelines/quickstart.yaml', '-i', 'flie=x'], 'did you mean file'],
    ['an input that is no integer', ['run', 'pipelines/quickstart.yaml', '-i', 'groupId=many'], 'groupId'],
  ])('%s', async (_name, args, expected) => {
    const { code, err } = await commandLine(args, { env: { AUDIENCE_STATE: tempFolder() } })
    expect(code).toBe(2)
    expect(err).toContain(expected)
  })

  test('a Node that is too old', async () => {
    const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    const { code, out, err } = await audience(['run', 'x.yaml'], { nodeArgs: ['--import', old] })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^audience needs Node 24 or newer; [^\n]+\n$/)
  })
})

test('an interrupt leaves the run as it is recorded: exit 130', async () => {
  const state = tempFolder()
  const process = startAudience(['run', 'pipelines/quickstart.yaml', '--json'], { env: { AUDIENCE_STATE: state } })
  await untilOutput(process, /job\.status/)
  process.kill('SIGINT')
  const { code, out } = await process.ended
  expect(code).toBe(130)
  expect(eventsOf(out).some(({ event }) => event === 'run.finished')).toBe(false)
})
