import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type Machine, thisMachine } from '../../../src/platform/machine.ts'
import type { Journal } from '../../../src/state/journal.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around, aroundAt } from '../../support/around.ts'
import { heldClock } from '../../support/held-clock.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const HOUR_MS = 3_600_000

/** A machine whose clocks the test sets, with one process for each owner, except those in `gone`. */
function machine(name: string, gone: ReadonlySet<number> = new Set(), boot = name) {
  const time = { wallMs: Date.UTC(2026, 10, 21), steadyMs: 1000 }
  const processOf = (pid: number): Machine => ({
    host: name,
    boot,
    processes: boot,
    pid,
    startedAt: `start of ${pid}`,
    steady: () => time.steadyMs,
    isRunning: (other, startedAt) => !gone.has(other) && startedAt === `start of ${other}`,
  })
  const open = (folder: string, pid: number, clock = aroundAt(() => time.wallMs).clock): Journal => {
    const state = { folder, redact: (text: string) => text, clock, machine: processOf(pid) }
    const { journal } = openEmbeddedState(state)
    onTestFinished(() => journal.close())
    return journal
  }
  return { time, open }
}

async function submit(journal: Journal, runId = 'r'): Promise<void> {
  const document = { pipeline: 'p', file: 'p.yaml', folder: '/', text: '', digest: '' }
  const record = { type: 'run.submitted', ...document, inputs: {}, trigger: {} } as const
  await journal.submit({ runId, at: 1, record })
}

test('a step of the wall clock ends no lease of this machine; a pause beyond the lease does', async () => {
  const { time, open } = machine('here')
  const folder = tempFolder()
  const [one, other] = [open(folder, 1), open(folder, 2)]
  await submit(one)
  for (const stepMs of [HOUR_MS, -3 * HOUR_MS]) {
    time.wallMs += stepMs
    expect([other.orphans(), await other.claim('r'), other.find('r')?.owner]).toEqual([[], false, 'process 1 on here'])
  }
  time.steadyMs += 10_001
  expect([other.orphans(), other.find('r')?.owner, await other.claim('r')]).toEqual([['r'], undefined, true])
})

test('an owner whose clock stands still loses its lease, and does nothing more; one whose clock goes on keeps it', async () => {
  const { time, open } = machine('here')
  const folder = tempFolder()
  const [running, standing] = [heldClock(), heldClock()]
  const [one, other, third] = [open(folder, 1, running), open(folder, 2, standing), open(folder, 3)]
  await Promise.all([submit(one, 'runs'), submit(other, 'stands')])
  for (let passedMs = 0; passedMs < 60_000; passedMs += 2_000) {
    time.steadyMs += 2_000
    await running.pass(2_000)
    expect(third.orphans()).toEqual(passedMs < 8_000 ? [] : ['stands'])
  }
  expect([await third.claim('runs'), await third.claim('stands')]).toEqual([false, true])
  await standing.pass(2_000)
  const record = { type: 'run.finished', status: 'failed', outputs: {} } as const
  await expect(other.append('stands', [{ seq: 1, at: 2, record }])).rejects.toMatchObject({ code: 'run-taken-over' })
  expect([other.owns('stands'), other.lost(), third.records('stands').length]).toEqual([false, ['stands'], 1])
  await one.append('runs', [{ seq: 1, at: 2, record }])
})

test('the heartbeat of an owner ends with it', async () => {
  const clock = heldClock()
  const { journal } = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around, clock })
  await submit(journal)
  expect(clock.sleeping).toBe(1)
  journal.close()
  await clock.pass(0)
  expect(clock.sleeping).toBe(0)
})

test('an owner of another machine keeps its lease on the wall clock, with a margin', async () => {
  const [here, there] = [machine('here'), machine('there')]
  const folder = tempFolder()
  const [one, other] = [here.open(folder, 1), there.open(folder, 1)]
  await submit(one)
  there.time.steadyMs += HOUR_MS
  there.time.wallMs += 35_000
  expect(await other.claim('r')).toBe(false)
  there.time.wallMs += 10_000
  expect(await other.claim('r')).toBe(true)
})

test('an owner of this machine, which has started anew since, keeps its lease on the wall clock without a margin', async () => {
  const [before, now] = [machine('here'), machine('here', new Set(), 'started anew')]
  const folder = tempFolder()
  const [one, other] = [before.open(folder, 1), now.open(folder, 1)]
  await submit(one)
  now.time.wallMs += 9_000
  expect(await other.claim('r')).toBe(false)
  now.time.wallMs += 2_000
  expect(await other.claim('r')).toBe(true)
})

test('a process that is gone is seen at once, also where another one has got its id', async () => {
  const gone = new Set<number>()
  const { open } = machine('here', gone)
  const folder = tempFolder()
  const [one, other] = [open(folder, 1), open(folder, 2)]
  await Promise.all([submit(one, 'a'), submit(one, 'b')])
  expect(other.orphans()).toEqual([])
  gone.add(1)
  expect([other.orphans(), await other.claim('a')]).toEqual([['a', 'b'], true])
  gone.delete(1)
  const db = new DatabaseSync(join(folder, 'runs.db'))
  db.exec(`UPDATE owners SET process_start = 'another start' WHERE pid = 1`)
  db.close()
  expect([other.orphans(), await other.claim('b')]).toEqual([['b'], true])
})

test('what only reads never becomes an owner, and takes nothing from one', async () => {
  const folder = tempFolder()
  const { time, open } = machine('here')
  const [one, reader] = [open(folder, 1), open(folder, 2)]
  await submit(one)
  time.steadyMs += HOUR_MS
  reader.find('r')
  reader.orphans()
  const db = new DatabaseSync(join(folder, 'runs.db'), { readOnly: true })
  expect(db.prepare('SELECT pid, epoch FROM owners').all()).toEqual([{ pid: 1, epoch: expect.any(Number) }])
  expect(db.prepare('SELECT count(*) AS owned FROM runs WHERE owner IN (SELECT owner FROM owners)').get()).toEqual({
    owned: 1,
  })
  db.close()
})

test('this machine tells a process that is there from one that was killed and from a later one with its id', async () => {
  const here = thisMachine()
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const pid = child.pid as number
  expect(here.isRunning(pid, undefined)).toBe(true)
  if (process.platform === 'linux') {
    expect(here.boot).toMatch(/^[0-9a-f-]{36} /)
    expect(here.startedAt).toMatch(/^\d+$/)
    expect(here.isRunning(process.pid, here.startedAt)).toBe(true)
    expect(here.isRunning(process.pid, '1')).toBe(false)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(here.isRunning(pid, undefined)).toBe(false)
})
