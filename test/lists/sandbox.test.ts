import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { type Sandbox, Sandboxes } from '../../src/lists/sandbox.ts'
import { childrenOf, knowsProcesses } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Opens DuckDB for some work. All the work of a test may share its processes. */
function sandboxes(limits = LIST_LIMITS) {
  const tempDir = tempFolder()
  const all = new Sandboxes(limits)
  onTestFinished(() => all.close())
  const others = childrenOf(process.pid)
  return {
    open: <T>(work: (sandbox: Sandbox) => Promise<T>, signal = new AbortController().signal) =>
      all.open({ files: [], tempDir, signal, process: 'shared' }, work),
    started: () => childrenOf(process.pid).filter((pid) => !others.includes(pid)),
  }
}

const nothing = async () => undefined
const one = (sandbox: Sandbox) => sandbox.rows('SELECT 1 AS n')

test.each([
  [1, 'small files', 'shared', 131_071],
  [2, 'large files', 'shared', 131_072],
  [2, 'small files with SQL of a document', 'own', 10],
] as const)('DuckDB works with %i threads on %s', async (threads, _what, process, bytes) => {
  const tempDir = tempFolder()
  const files = ['a', 'b', 'missing'].map((name) => join(tempDir, name))
  for (const file of files.slice(0, 2)) writeFileSync(file, 'x'.repeat(bytes))
  const sandboxes = new Sandboxes(LIST_LIMITS)
  onTestFinished(() => sandboxes.close())
  const { signal } = new AbortController()
  const asked = sandboxes.open({ files, tempDir, signal, process }, (sandbox) =>
    sandbox.rows(`SELECT current_setting('threads')::INTEGER AS threads`),
  )
  expect(await asked).toEqual([{ threads }])
})

test('DuckDB counts two fifths of the memory that its process may have', async () => {
  const { open } = sandboxes({ ...LIST_LIMITS, memoryBytes: 2.5 * 2 ** 30 })
  const asked = open((sandbox) => sandbox.rows(`SELECT current_setting('memory_limit') AS most`))
  expect(await asked).toEqual([{ most: '1.0 GiB' }])
})

test('an answer has 100,000 rows and four million characters at most', async () => {
  const { open } = sandboxes()
  await open(async (sandbox) => {
    const refused = { code: 'list-unreadable', message: 'the list cannot be read: it has too many columns' }
    expect(await sandbox.rows('FROM range(100000)')).toHaveLength(100_000)
    await expect(sandbox.rows('FROM range(100001)')).rejects.toMatchObject(refused)
    const texts = (count: number) => sandbox.rows(`SELECT repeat('x', 1000) AS name, 1 AS n FROM range(${count})`)
    expect(await texts(4000)).toHaveLength(4000)
    await expect(texts(4001)).rejects.toMatchObject(refused)
  })
})

test('a table that may be missing has no rows; any other error stays an error', async () => {
  const { open } = sandboxes()
  await open(async (sandbox) => {
    expect(await sandbox.rowsIfAny('FROM missing')).toEqual([])
    await expect(sandbox.rowsIfAny('SELECT missing')).rejects.toMatchObject({ code: 'list-unreadable' })
    await expect(sandbox.rows('FROM missing')).rejects.toMatchObject({ code: 'list-unreadable' })
  })
})

test('a caller that has already stopped starts no process', async () => {
  const { open, started } = sandboxes()
  await expect(open(one, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop')
  expect(started()).toEqual([])
})

test('a late stop of an ended list harms no other list of its process', async () => {
  const { open } = sandboxes()
  const stop = new AbortController()
  await open(nothing, stop.signal)
  await open(async (sandbox) => {
    stop.abort()
    expect(await one(sandbox)).toEqual([{ n: 1 }])
  })
})

test('a process that has been idle works on one list alone, for as long as that takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { open } = sandboxes()
  await open(nothing)
  await open(async (sandbox) => {
    await sandbox.run('CREATE TEMP TABLE own AS SELECT 1 AS n')
    vi.advanceTimersByTime(5_000)
    expect(await open(one)).toEqual([{ n: 1 }])
    expect(await sandbox.rows('FROM own')).toEqual([{ n: 1 }])
  })
})

test.runIf(knowsProcesses)('an idle process keeps no command from ending, and ends after five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { open, started } = sandboxes()
  const waitedFor = (what: string) => process.getActiveResourcesInfo().filter((one) => one === what).length
  // The test does not wait for its errors again.
  for (const channels of [2, 1]) {
    const during = await open(async () => ({ processes: waitedFor('ProcessWrap'), channels: waitedFor('PipeWrap') }))
    expect(waitedFor('ProcessWrap')).toBeLessThan(during.processes)
    expect(waitedFor('PipeWrap')).toBeLessThanOrEqual(during.channels - channels)
  }
  expect(started()).toHaveLength(1)
  vi.advanceTimersByTime(5_000)
  await expect.poll(started).toEqual([])
})

test.runIf(knowsProcesses)('a process gives back the memory of a list, and takes the next one', async () => {
  // DuckDB may have 160 MB of this, and a process that has kept 100 MB ends.
  const { open, started } = sandboxes({ ...LIST_LIMITS, memoryBytes: 400e6 })
  await open((sandbox) => sandbox.run('CREATE TEMP TABLE large AS SELECT hash(range) AS n FROM range(15000000)'))
  const before = started()
  expect(before).toHaveLength(1)
  await open(nothing)
  expect(started()).toEqual(before)
})

test.runIf(knowsProcesses).each([
  ['has no room for another list', 'value: false'],
  ['cannot close DuckDB', `error: { code: 'list-unreadable', kind: 'failed', message: 'no', hint: '' }`],
])('a process that %s ends', async (_what, answer) => {
  const program = join(tempFolder(), 'program.js')
  writeFileSync(
    program,
    `process.on('message', ({ id, ask }) => process.send(ask === 'close' ? { id, ${answer} } : { id, value: undefined }))`,
  )
  vi.stubEnv('BUILT_SANDBOX', program)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { open, started } = sandboxes()
  await open(nothing)
  expect(started()).toEqual([])
})

test.runIf(knowsProcesses)('a process that was killed while it was idle is not used again', async () => {
  const { open, started } = sandboxes()
  await open(nothing)
  const [pid = 0] = started()
  process.kill(pid, 'SIGKILL')
  await expect.poll(started).toEqual([])
  expect(await open(one)).toEqual([{ n: 1 }])
})

test.runIf(knowsProcesses)('a process that is a minute old takes no other list', async () => {
  const { open, started } = sandboxes()
  await open(nothing)
  expect(started()).toHaveLength(1)
  const now = vi.spyOn(performance, 'now')
  onTestFinished(() => now.mockRestore())
  now.mockReturnValue(performance.now() + 60_001)
  await open(nothing)
  expect(started()).toEqual([])
})
