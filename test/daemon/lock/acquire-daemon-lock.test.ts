import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { AudienceError } from '../../../src/core/errors.ts'
import { acquireDaemonLock } from '../../../src/daemon/lock/acquire-daemon-lock.ts'
import { readDaemon } from '../../../src/daemon/lock/daemon-file.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const daemon = { version: '1.2.3', now: Date.UTC(2026, 10, 21, 2), here: { profile: 'local', service: 'embedded:/' } }

/** Another process that tries to take the lock, and its output. */
async function holder(folder: string, startAt = 0): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('./lock-holder.ts', import.meta.url)),
    folder,
    String(startAt),
  ])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { child, said: String(said).trim() }
}

test('a second one is told who has it, where that answers and what to do', async () => {
  const folder = tempFolder()
  const { child } = await holder(folder)
  const refused = refusal(() => acquireDaemonLock(folder, daemon))
  expect(refused).toMatchObject({ code: 'daemon-running', kind: 'failed' })
  expect(refused.message).toContain(`process ${child.pid} on ${hostname()}, since 20`)
  expect(refused.message).toContain('http://127.0.0.1:1')
  expect(refused.hint).toContain('audience status')
})

test('the lock of one that was killed is there at once, while its file still names it', async () => {
  const folder = tempFolder()
  const { child } = await holder(folder)
  expect(readDaemon(folder)).toMatchObject({ state: 'running', info: { pid: child.pid } })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readDaemon(folder)).toMatchObject({ state: 'gone', info: { pid: child.pid } })
  const lock = acquireDaemonLock(folder, daemon)
  expect(readDaemon(folder)).toMatchObject({ state: 'running', info: { pid: process.pid } })
  lock.release()
})

test('of several that start at the same moment one gets it', async () => {
  const folder = tempFolder()
  const startAt = Date.now() + 700
  const all = await Promise.all(Array.from({ length: 5 }, () => holder(folder, startAt)))
  const taken = all.filter(({ said }) => said === 'taken')
  expect(taken).toHaveLength(1)
  for (const { said } of all.filter(({ said }) => said !== 'taken'))
    expect(said).toContain(`process ${taken[0]?.child.pid} on`)
})

test('it says who it is, then where it answers, and leaves nothing behind but the file of the lock', () => {
  const folder = join(tempFolder(), 'not', 'there')
  const lock = acquireDaemonLock(folder, daemon)
  const info = {
    pid: process.pid,
    host: hostname(),
    startedAt: '2026-11-21T02:00:00.000Z',
    version: '1.2.3',
    ...daemon.here,
  }
  expect(readDaemon(folder)).toEqual({ state: 'running', info })
  lock.announce({ url: 'http://127.0.0.1:4711' })
  expect(readDaemon(folder)).toEqual({ state: 'running', info: { ...info, url: 'http://127.0.0.1:4711' } })
  lock.release()
  expect(readDaemon(folder)).toEqual({ state: 'stopped' })
  expect(readdirSync(folder)).toEqual(['daemon.lock'])
})

test('releasing twice does not take away what a follower has written', () => {
  const folder = tempFolder()
  const first = acquireDaemonLock(folder, daemon)
  first.release()
  const second = acquireDaemonLock(folder, daemon)
  first.release()
  expect(readDaemon(folder).state).toBe('running')
  second.release()
})

test('looking for a daemon where there is no state makes none', () => {
  const folder = join(tempFolder(), 'none')
  expect(readDaemon(folder)).toEqual({ state: 'stopped' })
  expect(existsSync(folder)).toBe(false)
})

test('a folder that cannot be made is said so', () => {
  expect(refusal(() => acquireDaemonLock('/proc/none/state', daemon))).toMatchObject({ code: 'state-unwritable' })
})

function refusal(work: () => unknown): AudienceError {
  try {
    work()
  } catch (error) {
    if (error instanceof AudienceError) return error
  }
  throw new Error('nothing was refused')
}
