import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { aroundAt } from '../support/around.ts'
import { commandLine } from '../support/command-line.ts'
import { tempFolder } from '../support/temp-folder.ts'

// The table shows the local time of the machine.
beforeAll(() => void vi.stubEnv('TZ', 'UTC'))
afterAll(() => void vi.unstubAllEnvs())

/** One entry per hour, from the beginning of a day. */
const BEGIN = Date.parse('2026-11-20T00:00:00Z')
const HOUR_MS = 3_600_000

async function project() {
  const folder = tempFolder()
  let now = BEGIN
  const state = openEmbeddedState({ folder: join(folder, 'state'), redact: (text) => text, ...aroundAt(() => now) })
  const add = async (act: Parameters<typeof state.audit.add>[0]) => {
    await state.audit.add(act)
    now += HOUR_MS
  }
  await add({
    by: 'ana',
    act: 'schedule.pause',
    subject: 'nightly/night',
    comment: 'the source is late',
    outcome: 'done',
  })
  await add({
    by: 'bo',
    role: 'viewer',
    address: '10.0.0.5',
    act: 'run.start',
    subject: 'nightly',
    outcome: 'role-missing',
  })
  await add({ by: 'ana', act: 'run.approved', subject: 'run-1', detail: 'release', outcome: 'done' })
  await state.close()
  const list = (...args: string[]) =>
    commandLine(['audit', 'list', ...args], { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') } })
  const acts = async (...args: string[]) =>
    (await list('--json', ...args)).out
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { act: string }).act)
  return { list, acts }
}

test('audit list shows entries newest first, as a table or as JSON', async () => {
  const { list } = await project()
  expect((await list()).out).toBe(
    [
      'when (UTC)           who  role    from      did             to             details  why                 outcome',
      '2026-11-20 02:00:00  ana                    run.approved    run-1          release                      done',
      '2026-11-20 01:00:00  bo   viewer  10.0.0.5  run.start       nightly                                     role-missing',
      '2026-11-20 00:00:00  ana                    schedule.pause  nightly/night           the source is late  done',
      '',
    ].join('\n'),
  )
  const [first = ''] = (await list('--json', '-n', '1')).out.split('\n')
  expect(JSON.parse(first)).toEqual({
    ...{ at: '2026-11-20T02:00:00.000Z', id: 3, by: 'ana', act: 'run.approved', subject: 'run-1' },
    ...{ detail: 'release', outcome: 'done' },
  })
})

test('audit list takes the entries of a subject, of a person, and from a time on', async () => {
  const { list, acts } = await project()
  expect(await acts('--subject', 'run-1')).toEqual(['run.approved'])
  expect(await acts('--by', 'ana')).toEqual(['run.approved', 'schedule.pause'])
  expect(await acts('--by', 'ana', '--since', '2026-11-20T02:00:00Z')).toEqual(['run.approved'])
  expect(await acts('--since', '2026-11-20T01:00:00Z')).toEqual(['run.approved', 'run.start'])
  expect(await acts('-n', '2')).toEqual(['run.approved', 'run.start'])
  expect((await list('--by', 'nobody')).out).toBe('no entries\n')
  expect(await list('--since', 'yesterday')).toMatchObject({ code: 2, err: expect.stringContaining('is not a time') })
})
