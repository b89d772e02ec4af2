import { expect, test } from 'vitest'
import { drainWorker, hasOthers, undrainWorker } from '../../src/acts/drain-worker.ts'
import type { WorkerRow, Workers } from '../../src/state/worker-row.ts'

const NOW = 60_000
const ANA = { by: 'Ana', comment: 'an upgrade' }

function worker(host: string, pid: number, more: Partial<WorkerRow> = {}): WorkerRow {
  const times = { startedAt: 1, expiresAt: NOW + 1, drainingSince: undefined }
  const rest = { version: '1.0.0', runs: 2, keeper: false, takes: 'all', queue: 'q' } as const
  return { executor: `${host}-${pid}-x`, host, pid, ...times, ...rest, ...more }
}

const ROWS = [
  worker('web1', 1),
  worker('web1', 2),
  worker('web2', 1),
  worker('web2', 7, { takes: 'own' }),
  worker('web3', 1, { expiresAt: NOW - 5000 }),
  worker('web4', 1, { queue: undefined, version: '0.1.0' }),
  worker('web5', 1, { drainingSince: 9 }),
]

/** The rows; `drain` and `undrain` change them, unless `refuses` says so. */
function workersOf(refuses?: 'refuses' | 'drained meanwhile') {
  let rows: readonly WorkerRow[] = ROWS
  const calls: unknown[] = []
  const change = (its: WorkerRow, drainingSince: number | undefined) => {
    rows = rows.map((row) => (row.executor === its.executor ? { ...row, drainingSince } : row))
  }
  const workers: Workers = {
    list: async () => rows,
    async drain(its, actor) {
      calls.push([its.executor, actor])
      if (refuses !== 'refuses') change(its, NOW)
      return refuses === undefined
    },
    async undrain(its, actor) {
      calls.push([its.executor, actor])
      change(its, undefined)
      return its.drainingSince !== undefined
    },
  }
  return { calls, deps: { workers, now: () => NOW } }
}

test.each([
  ['its name', 'web1:2', 'web1-2-x'],
  ['its executor', 'web1-2-x', 'web1-2-x'],
  ['its host, if one worker runs there', 'web2', 'web2-1-x'],
])('a worker is drained by %s', async (_, name, executor) => {
  const { calls, deps } = workersOf()
  const { worker: drained, wasDraining } = await drainWorker(name, ANA, deps)
  expect([drained.executor, drained.drainingSince, wasDraining]).toEqual([executor, NOW, false])
  expect(calls).toEqual([[executor, ANA]])
})

test.each([
  ['web1', 'ambiguous-worker', 'name one: web1:1, web1:2'],
  ['web1:3', 'unknown-worker', /^did you mean web1:/],
  ['elsewhere', 'unknown-worker', /^known here: (?!.*web3)/],
  ['web2:7', 'not-a-worker', /ends with its run/],
  ['web3:1', 'worker-gone', /other workers take its runs/],
  ['web3', 'unknown-worker', /./],
  ['web4', 'worker-too-old', /SIGTERM/],
])('%s is not drained: %s', async (name, code, hint) => {
  const { calls, deps } = workersOf()
  const expected = { code, hint: typeof hint === 'string' ? hint : expect.stringMatching(hint) }
  await expect(drainWorker(name, ANA, deps)).rejects.toMatchObject(expected)
  expect(calls).toEqual([])
})

test('a worker that drains already keeps its time', async () => {
  const { calls, deps } = workersOf()
  expect(await drainWorker('web5', ANA, deps)).toMatchObject({ worker: { drainingSince: 9 }, wasDraining: true })
  expect(calls).toEqual([])
})

test('a drain that the store refuses has no effect, or was done by somebody else', async () => {
  const refused = drainWorker('web2', ANA, workersOf('refuses').deps)
  await expect(refused).rejects.toMatchObject({ code: 'no-other-worker' })
  const meanwhile = await drainWorker('web2', ANA, workersOf('drained meanwhile').deps)
  expect(meanwhile).toMatchObject({ worker: { drainingSince: NOW }, wasDraining: true })
})

test('a worker takes runs again, if it drains', async () => {
  const { calls, deps } = workersOf()
  expect(await undrainWorker('web5', ANA, deps)).toMatchObject({ executor: 'web5-1-x', drainingSince: undefined })
  expect(calls).toEqual([['web5-1-x', ANA]])
  await expect(undrainWorker('web1:1', ANA, deps)).rejects.toMatchObject({ code: 'worker-not-draining' })
})

test.each([
  ['another worker of its queue', [worker('b', 1)], true],
  ['no other', [worker('a', 1)], false],
  ['one of another queue', [worker('b', 1, { queue: 'r' })], false],
  ['one that drains', [worker('b', 1, { drainingSince: 9 })], false],
  ['one that is gone', [worker('b', 1, { expiresAt: NOW })], false],
  ['an audience run', [worker('b', 1, { takes: 'own' })], false],
])('who takes the runs of a worker: %s', (_, rows, expected) => {
  expect(hasOthers(worker('a', 1), rows, NOW)).toBe(expected)
})
