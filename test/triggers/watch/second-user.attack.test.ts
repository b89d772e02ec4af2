import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until, watching } from './watching.ts'

/*
 * What another user of this system can do if that user may write to the watched folder. As root, the test really acts
 * as that user.
 */

const NOBODY = 65534
const SECRET = 'token of the service\n'

/** A watched folder that everybody may write to, like /tmp, and another user's program in it. */
function shared() {
  const bench = watching()
  // Only its user may enter the folder of the test.
  chmodSync(bench.folder, 0o755)
  chmodSync(bench.inbox, 0o1777)
  const state = join(bench.folder, 'state')
  mkdirSync(state, { mode: 0o700 })
  writeFileSync(join(state, 'l.csv'), SECRET, { mode: 0o600 })
  const asNobody = (script: string) =>
    spawnSync('/bin/sh', ['-c', script], { uid: NOBODY, gid: NOBODY, cwd: bench.inbox, encoding: 'utf8' })
  const must = (script: string) => expect([script, asNobody(script).status]).toEqual([script, 0])
  return { bench, asNobody, must }
}

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)('a .taken that somebody made first is refused, with what lies in it', async () => {
  const { bench, must } = shared()
  must('mkdir -p .taken/drops.drop/1764000000000-abcdef && chmod -R 777 .taken')
  must('ln -s ../../../../state/l.csv .taken/drops.drop/1764000000000-abcdef/l.csv')
  must('echo mine > good.csv')
  const watcher = bench.start('settle: 400ms')
  await until(() => watcher.status()[0]?.problem !== undefined)
  expect(watcher.status()[0]?.problem).toMatch(/\.taken belongs to another user \(65534\)/)
  expect([bench.runs, bench.names('failed')]).toEqual([[], []])
  rmSync(join(bench.inbox, '.taken'), { recursive: true })
  await until(() => bench.runs.length === 1)
  expect(bench.runs[0]?.content).toBe('mine\n')
})

test.runIf(isRoot)('who dropped a file can reach it no more, nor anything else of the daemon', async () => {
  const { bench, asNobody, must } = shared()
  bench.ending = undefined
  const watcher = bench.start('settle: 400ms')
  must('echo mine > good.csv && chmod 600 good.csv')
  await until(() => bench.runs.length === 1)
  expect(bench.runs[0]?.content).toBe('mine\n')
  for (const script of [
    ...['ls .taken', 'cat .taken/*/*/*', 'echo x > .taken/x', 'ln -s /etc .taken/x', 'mv .taken was', 'rm -r .taken'],
    ...['chmod 777 .taken', 'ls ../state', 'cat ../state/l.csv', 'ln ../state/l.csv hard.csv'],
  ]) {
    expect([script, asNobody(script).status === 0]).toEqual([script, false])
  }
  must('ln -s ../state/l.csv link.csv && ln -s /dev/zero zero.csv && mkfifo pipe.csv && mkdir folder.csv')
  must('echo second > second.csv')
  await until(() => bench.runs.length === 2)
  expect(bench.runs.map(({ content }) => content)).toEqual(['mine\n', 'second\n'])
  await watcher.stop()
  expect(readdirSync(bench.inbox).filter((name) => name.endsWith('.csv'))).toEqual([
    ...['folder.csv', 'link.csv', 'pipe.csv', 'zero.csv'],
  ])
})

test.runIf(isRoot)('nor does a link of theirs in the place of done or failed lead anywhere', async () => {
  const { bench, must } = shared()
  chmodSync(bench.folder, 0o1777)
  must('ln -s state ../done && ln -s state ../failed && echo mine > good.csv')
  const watcher = bench.start('settle: 400ms')
  await until(() => watcher.status()[0]?.problem !== undefined)
  expect(watcher.status()[0]?.problem).toMatch(/is a link that belongs to another user \(65534\)/)
  expect([bench.runs, readdirSync(join(bench.folder, 'state'))]).toEqual([[], ['l.csv']])
})
