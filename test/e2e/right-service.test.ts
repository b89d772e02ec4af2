import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventsOf, startAudience, untilOutput } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { until } from '../support/daemon.ts'
import { startService } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ASKS = `version: 1
name: asks
steps:
  - id: ask
    uses: approval.wait
    with: { message: "May it?" }
`

/**
 * A project with one document, and the variables with which it uses service A. Without them, it uses the embedded
 * service.
 */
async function project() {
  const folder = tempFolder()
  mkdirSync(join(folder, 'pipelines'))
  writeFileSync(join(folder, 'pipelines/asks.yaml'), ASKS)
  const service = await startService(tempFolder())
  const here = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') } }
  const atA = { ...here, env: { ...here.env, AUDIENCE_BASE_URL: service.url, AUDIENCE_TOKEN: service.token } }
  return {
    folder,
    here,
    atA,
    urlOfA: service.url,
    embedded: `the embedded service in ${join(folder, 'state/service')}`,
  }
}

/** A run at A that waits for an approval, and whose process has ended. */
async function leftWaiting(atA: Awaited<ReturnType<typeof project>>['atA']): Promise<string> {
  const child = startAudience(['run', 'pipelines/asks.yaml', '--json'], atA)
  const text = await untilOutput(child, /step\.waiting/)
  child.kill('SIGINT')
  await child.ended
  return String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
}

test('a run that was begun at one service is continued and repeated at no other one, unless a person says so', async () => {
  const { folder, here, atA, urlOfA, embedded } = await project()
  const runId = await leftWaiting(atA)
  const refused = async (...args: string[]) => {
    const { code, out, err } = await commandLine(args, here)
    expect([code, out], err).toEqual([3, ''])
    expect(err).toContain(`run ${runId} belongs to ${urlOfA}`)
    expect(err).toContain(embedded)
    expect(err).toContain(`AUDIENCE_BASE_URL=${urlOfA}`)
    // No service was started either.
    expect(existsSync(join(folder, 'state/service'))).toBe(false)
  }
  await Promise.all([
    refused('runs', 'resume', runId),
    refused('runs', 'approve', runId, 'ask'),
    refused('runs', 'cancel', runId),
    refused('run', join(folder, 'pipelines/asks.yaml'), '--from', 'ask', '--of', runId),
  ])
  expect((await commandLine(['runs', 'resume', runId, '--profile', 'local'], atA)).code).toBe(3)

  expect((await commandLine(['runs', 'approve', runId, 'ask', '--reject'], atA)).code).toBe(0)
  expect((await commandLine(['runs', 'resume', runId], atA)).code).toBe(1)
  await refused('runs', 'retry', runId)

  const shown = await commandLine(['runs', 'show', runId], here)
  expect(shown.out).toMatch(new RegExp(`^ *service +${urlOfA}$`, 'm'))
  const retried = startAudience(['runs', 'retry', runId, '--other-service', '--json'], here)
  const text = await untilOutput(retried, /step\.waiting/)
  retried.kill('SIGINT')
  await retried.ended
  const newId = String(eventsOf(text.slice(0, text.indexOf('\n') + 1))[0]?.runId)
  expect(JSON.parse((await commandLine(['runs', 'show', newId, '--json'], here)).out)).toMatchObject({
    profile: 'local',
    service: `embedded:${join(folder, 'state/service')}`,
  })
})

test('the daemon of another service leaves a run alone, says so, and names its own service', async () => {
  const { folder, here, atA, urlOfA, embedded } = await project()
  const runId = await leftWaiting(atA)
  const daemon = startAudience(['start', '--port', '0', '--console-port', '0'], here)
  const ready = await untilOutput(daemon, /\n/)
  expect(ready.split('\n')[0]).toContain(`${embedded} (synthetic people and figures)`)

  // The id of a run begins with a time in whole seconds, so either of two runs of the same second may count as the
  // older one.
  await until(() => new Date().toISOString().slice(17, 19) !== runId.slice(13, 15))
  const detached = await commandLine(['run', join(folder, 'pipelines/asks.yaml'), '--detach'], atA)
  expect(detached.out).toContain(`it belongs to ${urlOfA}, and audience start works with ${embedded}`)
  const status = await commandLine(['status', '--json'], here)
  expect(JSON.parse(status.out)).toMatchObject({
    service: { profile: 'local', service: `embedded:${join(folder, 'state/service')}`, synthetic: true },
    daemon: { state: 'running', service: `embedded:${join(folder, 'state/service')}` },
    otherServices: [{ profile: 'local', service: urlOfA, runs: 2, oldestRunId: runId }],
  })
  // Commands for that run are refused here.
  const [wanted] = JSON.parse(status.out).needsYou
  expect(wanted).toMatchObject({ runId, elsewhere: expect.stringContaining(`AUDIENCE_BASE_URL=${urlOfA}`) })
  expect(wanted.elsewhere).toContain('--other-service')
  expect(JSON.parse((await commandLine(['status', '--json'], atA)).out).needsYou[0]).not.toHaveProperty('elsewhere')
  const screen = (await commandLine(['status'], here)).out
  expect(screen).toContain(`it belongs to ${urlOfA}`)
  expect(screen).toContain(`${embedded} (synthetic people and figures)`)
  expect(screen).toContain(`2 unfinished runs of ${urlOfA}, such as`)
  expect((await commandLine(['status'], atA)).out).toContain(`running at ${embedded}`)
  daemon.kill('SIGTERM')
  const { code, err } = await daemon.ended
  expect(code, err).toBe(0)
  const warnings = eventsOf(err).filter(({ level }) => level === 'warn')
  expect(warnings).toMatchObject([{ runId, service: urlOfA, here: embedded }])
  for (const run of eventsOf((await commandLine(['runs', 'list', '--json'], here)).out)) {
    expect(run).toMatchObject({ service: urlOfA, status: expect.stringMatching(/waiting|queued/) })
  }
})

describe('where something names a service, and not which', () => {
  const PROFILES = 'profiles:\n  production: { baseUrl: "https://audience.example.com/p/1", token: x }\n'
  test.each<[string, string, Record<string, string>, RegExp]>([
    ['a token alone', '', { AUDIENCE_TOKEN: 'some-token' }, /set AUDIENCE_BASE_URL=/],
    ['profiles without a choice', PROFILES, {}, /add to it: profile: production/],
    ['a named configuration without a service', '', { AUDIENCE_CONFIG: 'audience.yaml' }, /add to it: profile: local/],
    ['a named configuration that is not there', '', { AUDIENCE_CONFIG: 'other.yaml' }, /check --config/],
  ])('%s is refused by every command that needs one, and by no other', async (_name, config, env, hint) => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'pipelines'))
    writeFileSync(join(folder, 'pipelines/asks.yaml'), ASKS)
    writeFileSync(join(folder, 'audience.yaml'), config)
    const world = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state'), ...env } }
    const commands = [
      ['run', join(folder, 'pipelines/asks.yaml')],
      ['run', join(folder, 'pipelines/asks.yaml'), '--detach'],
      ['plan', join(folder, 'pipelines/asks.yaml')],
      ['api', 'groups.list'],
      ['start', '--port', '0'],
    ]
    for (const { code, out, err } of await Promise.all(commands.map((args) => commandLine(args, world)))) {
      expect([code, out]).toEqual([3, ''])
      expect(err).toMatch(hint)
    }
    expect(existsSync(join(folder, 'state'))).toBe(false)
    if (env.AUDIENCE_CONFIG !== 'other.yaml') {
      const status = await commandLine(['status'], world)
      expect(status.code, status.err).toBe(0)
      expect(status.out).toMatch(hint)
    }
  })

  test('--profile local says that the embedded one is meant, and the figures are said to be synthetic', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'audience.yaml'), PROFILES)
    const world = { cwd: folder, env: { AUDIENCE_TOKEN: 'some-token', AUDIENCE_STATE: join(folder, 'state') } }
    const { code, err } = await commandLine(['api', 'groups.list', '--profile', 'local'], world)
    expect(code, err).toBe(0)
    expect(err).toContain('its people and all figures are synthetic')
    expect(err).not.toContain('set AUDIENCE_BASE_URL')
    expect(err).toContain('not used, because the profile is local: AUDIENCE_TOKEN')
  })
})

test('an audience.yaml that others may have written is not used before it is named', async () => {
  const folder = tempFolder()
  const below = join(folder, 'below')
  mkdirSync(below)
  const file = join(folder, 'audience.yaml')
  const proof = join(folder, 'it-ran')
  const profile = `{ baseUrl: "http://127.0.0.1:9", tokenCommand: [touch, ${JSON.stringify(proof)}] }`
  writeFileSync(file, `profile: mine\nstate: elsewhere\nprofiles:\n  mine: ${profile}\n`)
  // Only root can give a file to another user; otherwise the test uses a file that everybody can write.
  if (process.getuid?.() === 0) chownSync(file, 4711, 4711)
  else chmodSync(file, 0o666)
  const refused = async (...args: string[]) => {
    const { code, out, err } = await commandLine(args, { cwd: below })
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain(`--config ${file}`)
    expect(err).toContain(`AUDIENCE_CONFIG=${file}`)
  }
  await refused('api', 'groups.list')
  await refused('status')
  expect([existsSync(proof), existsSync(join(folder, 'elsewhere'))]).toEqual([false, false])

  const byFlag = await commandLine(['status', '--json', '--config', '../audience.yaml'], { cwd: below })
  const byFlagFirst = await commandLine(['--config', file, 'status', '--json'], { cwd: tempFolder() })
  const byEnvironment = await commandLine(['status', '--json'], { cwd: tempFolder(), env: { AUDIENCE_CONFIG: file } })
  for (const { code, out, err } of [byFlag, byFlagFirst, byEnvironment]) {
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      state: join(folder, 'elsewhere'),
      service: { profile: 'mine', service: 'http://127.0.0.1:9', synthetic: false },
    })
  }
  const flagOverEnvironment = { cwd: below, env: { AUDIENCE_CONFIG: join(folder, 'none.yaml') } }
  expect((await commandLine(['status', '--config', file], flagOverEnvironment)).code).toBe(0)
})
