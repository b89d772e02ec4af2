import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from '../../src/state/sqlite/open-state.ts'
import { audience } from '../support/audience.ts'
import { kill, type Project, projectIn, spawnDaemon, stateRows, untilReady } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'

function project(env: Readonly<Record<string, string>> = {}): Project {
  const made = projectIn(tempFolder(), env)
  mkdirSync(join(made.folder, 'pipelines'))
  return made
}

async function start({ options }: Project) {
  const daemon = spawnDaemon(options)
  onTestFinished(() => kill(daemon).then(() => undefined))
  await untilReady(daemon)
  return daemon
}

/** The environment of a daemon that needs no service. */
const NOBODY = { AUDIENCE_BASE_URL: 'http://127.0.0.1:9', AUDIENCE_TOKEN: 'unused' }

/** Another state with a mark in its log, so that a change to it can be seen. */
function anotherState(folder: string): void {
  const db = openState(folder)
  onTestFinished(() => db.close())
  db.exec("INSERT INTO checkpoints VALUES ('checkpoint', 1)")
}

test.each([
  ['runs.db-wal was removed', ({ folder }: Project) => rmSync(join(folder, 'state/runs.db-wal'))],
  [
    'runs.db was replaced by another file',
    ({ folder }: Project) => {
      const other = join(folder, 'other')
      anotherState(other)
      for (const name of ['runs.db', 'runs.db-wal', 'runs.db-shm'])
        renameSync(join(other, name), join(folder, 'state', name))
    },
  ],
])('a daemon notices that %s, and ends with a clear error', async (what, meddle) => {
  const made = project(NOBODY)
  const daemon = await start(made)
  meddle(made)
  const { code, err } = await daemon.ended
  expect(err).toMatch(new RegExp(`${what}.*while the state was open`))
  expect(err).toContain('audience state check')
  expect(code).toBe(1)
  if (what.startsWith('runs.db was'))
    expect(stateRows(made, "SELECT value FROM checkpoints WHERE name = 'checkpoint'")).toEqual([{ value: 1 }])
  else expect(stateRows(made, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

test('files of the state are for their owner alone, in a folder that exists, and what was open to others is not any more', async () => {
  const made = project()
  const state = join(made.folder, 'state')
  mkdirSync(join(state, 'service'), { recursive: true })
  openState(state).close()
  const wide = [join(state, 'runs.db'), join(state, 'daemon.lock'), join(state, 'service')]
  writeFileSync(join(state, 'daemon.lock'), '')
  for (const path of wide) chmodSync(path, 0o755)
  const daemon = await start(made)
  expect(await audience(['backup', join(state, 'copy.db')], made.options)).toMatchObject({ code: 0 })
  const modes = (folder: string) =>
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o077).toString(8)])
  const found = Object.fromEntries([...modes(state), ...modes(join(state, 'service'))])
  const names = ['runs.db', 'runs.db-wal', 'runs.db-shm', 'daemon.json', 'daemon.lock', 'copy.db', 'service']
  for (const name of [...names, 'endpoint.json']) expect([name, found[name]]).toEqual([name, '0'])
  const { err } = await kill(daemon, 'SIGTERM')
  expect(err.match(/others could read these files/g)).toHaveLength(1)
})
