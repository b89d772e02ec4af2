import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/core/duration.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

let cwd: string
beforeEach(() => {
  cwd = tempFolder()
  mkdirSync(join(cwd, 'pipelines'))
  for (const name of ['nightly', 'growth_de', 'growth_fr'])
    writeFileSync(
      join(cwd, 'pipelines', `${name}.yaml`),
      `version: 1\nname: ${name}\nsteps:\n  - { id: list, uses: groups.list }\n`,
    )
})

const audience = (...args: string[]) => commandLine(args, { cwd })
const mutes = async () => {
  const { out } = await audience('notify', 'mutes', '--json')
  return out.trim() === ''
    ? []
    : out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
}

test('a mute says what it does, is listed and audited, and shows in the status', async () => {
  const before = Date.now()
  const { out } = await audience('notify', 'mute', 'nightly', '--for', '8h', '--by', 'ana', '--comment', 'they move')
  expect(out).toMatch(
    /^nobody gets messages about nightly until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, except about the recovery from/,
  )
  const [mute] = await mutes()
  expect(mute).toMatchObject({ pipelines: 'nightly', by: 'ana', comment: 'they move' })
  expect(Date.parse(mute.until) - before).toBeGreaterThanOrEqual(8 * HOUR_MS)
  expect((await audience('notify', 'mutes')).out).toMatch(
    /^pipelines {2}until .*\nnightly .* UTC {2}ana {2}they move\n$/,
  )
  expect((await audience('audit', 'list', '--json')).out).toContain('"act":"notify.mute","subject":"nightly"')
  expect((await audience('status')).out).toMatch(/muted\n {2}nightly until .* UTC by ana: "they move"\n/)
  expect(JSON.parse((await audience('status', '--json')).out).notifications.mutes).toEqual([mute])
})

test('several are muted by a pattern, until a time, and told again early', async () => {
  const until = new Date(Date.now() + HOUR_MS).toISOString()
  const { out, err } = await audience('notify', 'mute', 'growth_*', '--until', until)
  expect(out).toContain('growth_* (2 pipelines)')
  expect(err).toBe('')
  expect(await mutes()).toMatchObject([{ pipelines: 'growth_*', until }])
  expect((await audience('notify', 'unmute', 'growth_*')).out).toBe('growth_*: people get messages again\n')
  expect((await audience('notify', 'unmute', 'growth_*')).out).toBe('growth_*: was not muted\n')
  expect((await audience('notify', 'mutes')).out).toBe('nothing is muted\n')
})

test('a name that no pipeline has is refused, and a pattern that fits none now is said', async () => {
  const { code, err } = await audience('notify', 'mute', 'nigthly', '--for', '1h')
  expect(code).toBe(2)
  expect(err).toContain('there is no pipeline nigthly')
  expect(err).toContain('did you mean nightly?')
  expect(await mutes()).toEqual([])
  expect((await audience('notify', 'mute', 'later*', '--for', '1h')).err).toContain('has this name now')
  expect(await mutes()).toMatchObject([{ pipelines: 'later*' }])
})

test('a pipeline whose document is broken now is muted by its name, because it has runs', async () => {
  const file = join(cwd, 'pipelines/nightly.yaml')
  expect((await audience('run', file, '--detach')).code).toBe(0)
  writeFileSync(file, 'version: 1\nname: nightly\nsteps: [{ id: list, uses: nothing.known }]\n')
  expect((await audience('notify', 'mute', 'nightly', '--for', '1h')).out).toContain(
    'nobody gets messages about nightly until',
  )
  expect(await mutes()).toMatchObject([{ pipelines: 'nightly' }])
})

test.each([
  [['nightly'], 'a mute must have an end'],
  [['nightly', '--for', 'long'], '"long" is not a duration'],
  [['nightly', '--for', '32d'], 'a mute must end within the next 31 days'],
  [['nightly', '--until', '2026-01-01'], 'a mute must end within the next 31 days'],
  [['nightly', '--until', 'soon'], '--until "soon" is not a time'],
  [['Night!', '--for', '1h'], '"Night!" is not a pipeline name'],
])('%j is refused: %s', async (args, said) => {
  expect(await audience('notify', 'mute', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(said) })
  expect(await mutes()).toEqual([])
})
