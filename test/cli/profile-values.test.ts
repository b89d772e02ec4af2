import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine } from '../support/command-line.ts'
import { serviceOfFile } from '../support/host-service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const service = serviceOfFile()

const CONFIG = () => `profiles:
  production: { baseUrl: "${service().url}", tokenEnv: TOKEN_OF_TEST, inputs: { groupId: 3001, list: data/a.csv } }
  staging: { baseUrl: "https://staging.example.com", inputs: { groupId: 9001 } }
`
const PIPELINE = `version: 1
name: p
inputs: { groupId: { type: integer }, list: { type: file, default: own.csv } }
variables: { where: "\${{ run.profile + ' ' + string(inputs.groupId) }}" }
triggers:
  - { id: nightly, profiles: [production], schedule: { cron: "0 2 * * *" } }
steps:
  - { id: list, uses: groups.list }
outputs: { where: "\${{ variables.where }}", list: "\${{ inputs.list }}" }
`

function project(document = PIPELINE, config = CONFIG()) {
  const cwd = tempFolder()
  const write = (path: string, text: string) => {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  write('audience.yaml', config)
  write('pipelines/p.yaml', document)
  write('pipelines/own.csv', 'email\n')
  write('data/a.csv', 'email\n')
  const env = { TOKEN_OF_TEST: service().token }
  const audience = (...args: string[]) => commandLine(args, { cwd, env })
  const validate = (...args: string[]) => audience('validate', ...args, join(cwd, 'pipelines'))
  return { cwd, audience, validate, write, file: join(cwd, 'pipelines/p.yaml') }
}

test('a run has the inputs of its profile, and what is done with it later needs neither', async () => {
  const ask = '  - { id: ask, uses: approval.wait, with: { message: "${{ variables.where }}" } }\n'
  const { cwd, audience, validate, write, file } = project(PIPELINE.replace('steps:\n', `steps:\n${ask}`))
  const started = await audience('run', file, '-p', 'production', '--no-wait', '--json')
  const { runId } = JSON.parse(started.out.trim().split('\n').at(-1) ?? '')
  // A run already has its inputs, so the present audience.yaml does not change it.
  write('audience.yaml', CONFIG().replace(/, inputs: \{ groupId: 3001[^}]*\}/, ''))
  expect((await validate('-p', 'production')).code).toBe(3)
  expect((await audience('runs', 'approve', runId, 'ask')).code).toBe(0)
  const ended = await audience('runs', 'resume', runId)
  expect(ended.code, ended.err).toBe(0)
  const outputs = { where: 'production 3001', list: join(cwd, 'data/a.csv') }
  expect(JSON.parse((await audience('runs', 'show', runId, '--json')).out)).toMatchObject({ outputs })
  expect((await audience('runs', 'retry', runId, '--from', 'list')).code).toBe(0)
  expect(JSON.parse((await audience('runs', 'show', 'latest', '--json')).out)).toMatchObject({ outputs })
})

test('-i goes before the profile, and the profile before the document', async () => {
  const { audience, file } = project(PIPELINE.replace(/ {2}- \{ id: ask[^\n]*\n/, ''))
  const run = async (...args: string[]) => {
    const { code, err, out } = await audience('run', file, '-p', 'production', '--json', ...args)
    expect(code, err).toBe(0)
    return JSON.parse(out.trim().split('\n').at(-1) ?? '').outputs
  }
  expect(await run('-i', 'groupId=7')).toMatchObject({ where: 'production 7' })
  expect(await run()).toMatchObject({ where: 'production 3001' })
})

describe('validate', () => {
  test('checks for one profile, and with all for each, naming those that have a problem', async () => {
    const { validate } = project(PIPELINE.replace('profiles: [production], ', ''))
    expect(await validate('-p', 'production')).toMatchObject({ code: 0 })
    const staging = await validate('--profile', 'all')
    expect(staging.code).toBe(0)
    const broken = project(PIPELINE, CONFIG().replace('groupId: 9001', 'groupId: x'))
    const { code, out } = await broken.validate('--profile', 'all')
    expect(code).toBe(3)
    expect(out).toContain('profiles.staging.inputs.groupId must be an integer (profile staging)')
    expect(out).toContain('1 pipeline, 1 error, 0 warnings')
    expect(await broken.validate('-p', 'production')).toMatchObject({ code: 0 })
    expect(await broken.validate('-p', 'productoin')).toMatchObject({
      code: 3,
      err: expect.stringContaining('did you mean production?'),
    })
  })

  test('warns of an input that no pipeline declares, if it sees all of them', async () => {
    const { audience, validate, write, file } = project(
      PIPELINE,
      CONFIG().replace('groupId: 9001', 'groupId: 1, gruopId: 2'),
    )
    const { code, out } = await validate('-p', 'staging')
    expect(code).toBe(0)
    expect(out).toMatch(
      /audience.yaml:3:\d+ warning no pipeline declares the input gruopId, which the profile staging gives/,
    )
    expect(out).toContain('did you mean groupId?')
    write('pipelines/q.yaml', 'version: 1\nname: q\nsteps: [{ id: list, uses: groups.list }]\n')
    expect((await audience('validate', '-p', 'staging', file)).out).not.toContain('gruopId')
  })
})

test('an expression in a profile, and a key of local that is none of its own, are refused', async () => {
  const refused = async (profiles: string) => (await project(PIPELINE, `profiles:\n${profiles}`).validate()).err
  expect(await refused('  local: { inputs: { groupId: "${{ 1 }}" } }\n')).toContain(
    'expressions are not evaluated here',
  )
  expect(await refused('  local: { baseUrl: "https://x.example.com" }\n')).toContain('has no baseUrl')
})

test('a plan knows the profile and its inputs', async () => {
  const { audience, file } = project(PIPELINE)
  const plan = JSON.parse((await audience('plan', file, '-p', 'production', '--json')).out)
  expect(plan.variables).toEqual({ where: 'production 3001' })
  expect(plan.unknownVariables).toEqual([])
})

test('schedule list shows a schedule of other profiles without slots, and the others by name', async () => {
  const { audience } = project()
  const listed = (...args: string[]) => audience('schedule', 'list', ...args)
  expect((await listed('-p', 'staging')).out).toContain('starts no run here: only under production')
  const [line = ''] = (await listed('-p', 'staging', '--json')).out.split('\n')
  expect(JSON.parse(line)).toMatchObject({ pipeline: 'p', trigger: 'nightly', profiles: ['production'] })
  expect(JSON.parse(line)).not.toHaveProperty('next')
  expect((await listed('-p', 'production')).out).toContain('next  ')
  expect(await audience('schedule', 'next', 'p', '-p', 'staging')).toMatchObject({
    code: 2,
    err: expect.stringContaining('p/nightly starts runs only under production, and the profile here is staging'),
  })
})
