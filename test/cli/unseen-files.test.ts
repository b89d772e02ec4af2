import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { audience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A project with a folder that nobody can read, not even root: a link that leads to itself. */
function project() {
  const cwd = tempFolder()
  symlinkSync('locked', join(cwd, 'locked'))
  mkdirSync(join(cwd, 'pipelines'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  return { cwd, write, audience: (...args: string[]) => commandLine(args, { cwd }) }
}

const pipeline = (file: string) => `version: 1
name: p
inputs: { list: { type: file, default: "${file}" } }
steps: [{ id: list, uses: groups.list }]
`

describe('a configuration that this user may not look for', () => {
  test('by its name', async () => {
    const { cwd, audience } = project()
    const file = join(cwd, 'locked/audience.yaml')
    const { code, err } = await audience('--config', file, 'runs', 'list')
    expect(code).toBe(3)
    expect(err).toContain(`the configuration ${file} cannot be read: ELOOP`)
    expect(err).toContain('its links lead in a circle')
  })

  test.each([
    ['leads to itself', 'audience.yaml', 'ELOOP', 'its links lead in a circle'],
    ['leads nowhere', 'gone.yaml', 'ENOENT', 'it is a link to a file that is not there'],
  ])('that is a link which %s is not taken for none', async (_what, target, why, hint) => {
    const { cwd, audience } = project()
    symlinkSync(target, join(cwd, 'audience.yaml'))
    const { code, err } = await audience('runs', 'list')
    expect(code).toBe(3)
    expect(err).toContain(`the configuration ${join(cwd, 'audience.yaml')} cannot be read: ${why}`)
    expect(err).toContain(hint)
  })

  test('that is in no folder at all is still told as that', async () => {
    const { cwd, audience } = project()
    const { code, err } = await audience('--config', join(cwd, 'none/audience.yaml'), 'runs', 'list')
    expect([code, err]).toEqual([3, expect.stringContaining('there is no configuration')])
  })
})

test('a file of an input that this user may not look for is not told as missing', async () => {
  const { cwd, write, audience } = project()
  write('audience.yaml', '# a project')
  const document = join(cwd, 'pipelines/p.yaml')
  write('pipelines/p.yaml', pipeline('../locked/a.csv'))
  const checked = await audience('validate', document)
  expect(checked.out).toContain('it is not known whether there is a file ../locked/a.csv: ELOOP')
  for (const args of [
    ['run', document],
    ['run', document, '-i', 'list=../locked/b.csv'],
    ['plan', document],
  ]) {
    const { code, err } = await audience(...args)
    expect(code).toBe(2)
    expect(err).toMatch(/of the input list: \S+\/locked\/[ab]\.csv: ELOOP/)
    expect(err).toContain('run this as a user who may read it')
  }
})

test('a file that is really missing is told as missing', async () => {
  const { cwd, write, audience } = project()
  const document = join(cwd, 'pipelines/p.yaml')
  write('pipelines/p.yaml', pipeline('none/a.csv'))
  expect((await audience('validate', document)).out).toContain('there is no file none/a.csv')
  expect((await audience('run', document)).err).toContain('is not there, or is a folder')
})

test('the files of audience.yaml that this user may not look for are not told as missing', async () => {
  const { cwd, write, audience } = project()
  write(
    'audience.yaml',
    'privacy: { suppress: [locked/out.csv] }\nprofiles: { local: { inputs: { list: locked/l.csv } } }\n',
  )
  write('pipelines/p.yaml', pipeline('x.csv'))
  const { out } = await audience('validate', join(cwd, 'pipelines'))
  expect(out).toContain(`it is not known whether there is a file ${join(cwd, 'locked/out.csv')}: ELOOP`)
  expect(out).toContain('profiles.local.inputs.list: it is not known whether there is a file locked/l.csv: ELOOP')
})

test('a file of a test that this user may not look for is not told as missing', async () => {
  const { cwd, write, audience } = project()
  write('audience.yaml', '# a project')
  write('pipelines/p.yaml', pipeline('x.csv'))
  const given = '{ from: 2026-10-20, files: { x.csv: { copy: ../locked/a.csv } } }'
  write('pipelines/p.test.yaml', `test: p.yaml\ngiven: ${given}\ntests: [{ it: runs, do: [{ run: {} }] }]\n`)
  const { out } = await audience('validate', join(cwd, 'pipelines/p.test.yaml'))
  expect(out).toContain('it is not known whether there is a file ../locked/a.csv: ELOOP')
})

test('the documents of a folder that this user may not read are not left out', async () => {
  const { cwd, write, audience } = project()
  write('pipelines/p.yaml', pipeline('x.csv'))
  const { code, err } = await audience('validate', join(cwd, 'locked'))
  expect([code, err]).toEqual([2, expect.stringMatching(/locked cannot be read: ELOOP.*\nWhat to do: check the path/)])
})

test('a state, a folder and a daemon that this user may not look for are told with the path and what to do', async () => {
  const { cwd, write, audience } = project()
  write('audience.yaml', 'state: locked/state')
  for (const args of [
    ['runs', 'list'],
    ['state', 'check'],
    ['state', 'compact'],
    ['state', 'copy', join(cwd, 'locked/state'), 'postgres://a@127.0.0.1:1/a'],
    ['backup', join(cwd, 'copy.db')],
    ['workers', 'share', join(cwd, 'locked/shared')],
  ]) {
    const { code, err } = await audience(...args)
    expect([args, code]).toEqual([args, 1])
    expect(err).toMatch(/ELOOP.+\/locked|\/locked.+ELOOP/)
    expect(err).toContain('What to do: ')
    expect(err).not.toContain('fault of the runner')
  }
})

test('a folder without permission hides neither its configuration nor its documents', async () => {
  const { cwd, write } = project()
  const shut = join(cwd, 'shut')
  mkdirSync(join(shut, 'inner'), { recursive: true })
  writeFileSync(join(shut, 'inner/p.yaml'), pipeline('x.csv'))
  writeFileSync(join(shut, 'audience.yaml'), '')
  write('pipelines/p.yaml', pipeline('x.csv'))
  chmodSync(shut, 0o000)
  chmodSync(cwd, 0o755)
  // Root may read everything, so the command then runs as another user.
  const options = { cwd, ...(process.getuid?.() === 0 && { uid: 65_534 }) }
  try {
    const named = await audience(['--config', join(shut, 'audience.yaml'), 'runs', 'list'], options)
    expect(named.code).toBe(3)
    expect(named.err).toMatch(/the configuration \S+shut\/audience\.yaml cannot be read: EACCES/)
    expect(named.err).toContain('run this as a user who may read it')
    const checked = await audience(['validate', cwd], options)
    expect([checked.code, checked.err]).toEqual([2, expect.stringMatching(/cannot be read: EACCES.*shut/)])
  } finally {
    chmodSync(shut, 0o700)
  }
})
