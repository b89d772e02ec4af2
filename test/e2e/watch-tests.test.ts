import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnAudience } from '../support/audience.ts'
import { tempFolder } from '../support/temp-folder.ts'

const pipeline = (name: string, step: string) => `version: 1\nname: ${name}\nsteps: [${step}]\n`
const LIST = '{ id: all, uses: groups.list }'
const FAIL = '{ id: all, uses: run.fail, with: { message: no } }'
const testOf = (name: string, it: string) =>
  `test: ${name}.yaml\ngiven: { from: 2026-10-20 }\ntests:\n  - { it: ${it}, do: [{ run: {}, expect: { writes: {} } }] }\n`

test('--watch runs what changed and nothing else, survives errors, and ends with 0 at SIGTERM', async () => {
  const [cwd, temp] = [tempFolder(), tempFolder()]
  mkdirSync(join(cwd, 'pipelines'))
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'pipelines', name), text)
  write('one.yaml', pipeline('one', LIST))
  write('one.test.yaml', testOf('one', 'lists once'))
  write('two.yaml', pipeline('two', LIST))
  write('two.test.yaml', testOf('two', 'lists twice'))
  const watching = spawnAudience(['test', '--watch'], { cwd, env: { TMPDIR: temp } })
  let read = 0
  /** The output since it last waited for changes. */
  const next = async () => {
    const end = 'waiting for changes; press Ctrl-C to stop\n'
    await expect.poll(() => watching.written().indexOf(end, read)).toBeGreaterThan(-1)
    const text = watching.written().slice(read, watching.written().indexOf(end, read))
    read += text.length + end.length
    return text
  }
  expect(await next()).toMatch(/^ok {3}lists once.*\nok {3}lists twice.*\n2 tests in 2 files: 2 passed, 0 failed\n$/)
  write('two.yaml', pipeline('two', FAIL))
  expect(await next()).toMatch(
    /^changed: pipelines\/two\.yaml\nFAIL lists twice[\s\S]*1 test in 1 file: 0 passed, 1 failed\n$/,
  )
  write('one.test.yaml', 'test: [')
  expect(await next()).toMatch(/^changed: pipelines\/one\.test\.yaml\npipelines\/one\.test\.yaml:1:\d+ error /)
  write('one.test.yaml', testOf('one', 'lists again'))
  expect(await next()).toMatch(/^changed: pipelines\/one\.test\.yaml\nok {3}lists again.*\n1 test in 1 file: 1 passed/)
  write('three.test.yaml', testOf('one', 'is new'))
  expect(await next()).toMatch(/^ok {3}is new.*\n1 test in 1 file: 1 passed/)
  rmSync(join(cwd, 'pipelines/three.test.yaml'))
  expect(await next()).toBe('gone: pipelines/three.test.yaml\n')
  write(
    'after.yaml',
    pipeline('after', LIST).replace('steps', 'triggers: [{ id: then, after: { pipelines: [two] } }]\nsteps'),
  )
  write('after.test.yaml', testOf('after', 'comes after'))
  expect(await next()).toMatch(/^ok {3}comes after/)
  write('two.yaml', pipeline('two', LIST))
  expect(await next()).toMatch(/^changed: pipelines\/two\.yaml\nok {3}comes after.*\nok {3}lists twice/)
  // The settings in audience.yaml apply to all tests.
  writeFileSync(join(cwd, 'audience.yaml'), 'profile: local\n')
  expect(await next()).toMatch(/^changed: audience\.yaml\n/)
  watching.kill('SIGTERM')
  expect(await watching.ended).toMatchObject({ code: 0, err: '' })
  expect(watching.written()).not.toContain('\u001b')
  expect(readdirSync(temp)).toEqual([])
})
