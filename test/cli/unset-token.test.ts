import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const service = serviceOfFile()

const PIPELINE = `version: 1
name: p
steps:
  - { id: ask, uses: approval.wait, with: { message: go on? } }
  - { id: list, uses: groups.list }
`
const UNSET = 'the environment variable TOKEN_OF_PROD (profile "prod") holds no access token'

function project() {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  const profile = `{ baseUrl: "${service().url}", tokenEnv: TOKEN_OF_PROD }`
  writeFileSync(join(cwd, 'audience.yaml'), `profile: prod\nprofiles: { prod: ${profile} }\n`)
  writeFileSync(join(cwd, 'pipelines/p.yaml'), PIPELINE)
  const env = { TOKEN_OF_PROD: service().token }
  const runs = async () => {
    const { out } = await commandLine(['runs', 'list', '--json'], { cwd })
    return out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }
  return {
    file: join(cwd, 'pipelines/p.yaml'),
    runs,
    audience: (...args: string[]) => commandLine(args, { cwd, env }),
    withoutToken: (...args: string[]) => commandLine(args, { cwd }),
    withBlankToken: (...args: string[]) => commandLine(args, { cwd, env: { TOKEN_OF_PROD: ' ' } }),
  }
}

test('a run, a retry and the daemon are refused while the variable of the token is not set, before anything is recorded', async () => {
  const { file, runs, audience, withoutToken, withBlankToken } = project()
  for (const refused of [
    await withoutToken('run', file),
    await withBlankToken('run', file, '--json'),
    await withoutToken('plan', file),
    await withoutToken('start', '--port', '0', '--no-console'),
  ]) {
    expect(refused.code, refused.err).toBe(4)
    expect(refused.err).toContain(UNSET)
  }
  expect(await runs()).toEqual([])
  const { out } = await audience('run', file, '--no-wait', '--json')
  const { runId } = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  const resumed = await withoutToken('runs', 'resume', runId)
  expect(resumed.code).toBe(4)
  expect(resumed.err).toContain(UNSET)
  expect(await runs()).toMatchObject([{ runId, status: 'waiting' }])
})

test('a run can be cancelled without the token, and be queued for a daemon that has it', async () => {
  const { file, runs, audience, withoutToken } = project()
  const { out } = await audience('run', file, '--no-wait', '--json')
  const { runId } = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  const cancelled = await withoutToken('runs', 'cancel', runId)
  expect(cancelled.code, cancelled.err).toBe(0)
  expect((await withoutToken('run', file, '--detach')).code).toBe(0)
  expect(await runs()).toMatchObject([{ status: 'queued' }, { runId, status: 'cancelled' }])
})
