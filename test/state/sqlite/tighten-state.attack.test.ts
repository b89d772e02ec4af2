import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDaemon } from '../../../src/daemon/lock/daemon-file.ts'
import { tightenState } from '../../../src/state/sqlite/tighten-state.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/* A copy of a state may contain anything. When root restored one, links in it led to files of the system. */

test.each(['runs.db', 'runs.db-wal', 'daemon.json', 'membership', 'service'])(
  'what %s leads to keeps its mode',
  (name) => {
    const folder = tempFolder()
    const [file, other] = [join(folder, 'passwd'), join(folder, 'folder')]
    writeFileSync(file, '', { mode: 0o644 })
    mkdirSync(other, { mode: 0o755 })
    for (const [at, target] of [file, other].entries()) {
      const state = join(folder, `state${at}`)
      mkdirSync(state)
      symlinkSync(target, join(state, name))
      expect(tightenState(state)).toEqual([])
    }
    mkdirSync(join(folder, 'linked'))
    linkSync(file, join(folder, 'linked', name))
    expect(tightenState(join(folder, 'linked'))).toEqual([])
    expect([statSync(file).mode & 0o777, statSync(other).mode & 0o777]).toEqual([0o644, 0o755])
  },
)

test('links that lead nowhere hold up nobody, and what is ours is closed', () => {
  const folder = tempFolder()
  symlinkSync('nowhere', join(folder, 'daemon.json'))
  writeFileSync(join(folder, 'runs.db'), '', { mode: 0o644 })
  mkdirSync(join(folder, 'membership'), { mode: 0o755 })
  expect(tightenState(folder).map((path) => [path, statSync(path).mode & 0o777])).toEqual([
    [join(folder, 'membership'), 0o700],
    [join(folder, 'runs.db'), 0o600],
  ])
})

test('a pipe in the place of what a daemon says of itself is not waited for', () => {
  const folder = tempFolder()
  execFileSync('mkfifo', [join(folder, 'daemon.json')])
  expect(readDaemon(folder)).toEqual({ state: 'stopped' })
})
