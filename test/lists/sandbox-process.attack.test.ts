import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LIST_LIMITS } from '../../src/core/list-limits.ts'
import { Sandboxes } from '../../src/lists/sandbox.ts'
import { startSandbox } from '../../src/lists/start-sandbox.ts'
import { isLong } from '../support/is-long.ts'
import { childrenOf, knowsProcesses, unlessEnded } from '../support/processes.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const limits = { ...LIST_LIMITS, memoryBytes: 300e6, timeoutMs: 100_000 }
const rows = 'email\nann@example.com\n'
const SLOW = "SELECT CASE WHEN sum(hash(range)) > 1 THEN 'a@x.test' END FROM range(1000000000000)"

test.runIf(knowsProcesses)('the process of a query has no secret, no open file and no further argument', async () => {
  process.env.AUDIENCE_SECRET_OF_A_TEST = 'open sesame'
  const secret = openSync(import.meta.filename, 'r')
  const { stop, pid } = await slowQuery()
  onTestFinished(() => {
    closeSync(secret)
    delete process.env.AUDIENCE_SECRET_OF_A_TEST
  })
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  expect(
    names
      .map((one) => one.replace(/=.*/s, ''))
      .filter(Boolean)
      .sort(),
  ).toEqual(
    // The settings of allocators. The shell adds the folder; Node adds the channel to its parent.
    [
      ...['DUCKDB_JE_MALLOC_CONF', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'],
      ...['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'PWD'],
    ],
  )
  const open = () =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => unlessEnded(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''))
  // For a moment, the process opens its own figures in /proc to learn its memory. Another look finds them closed.
  await expect.poll(() => open().filter((path) => path.startsWith('/') && !path.startsWith('/dev/null'))).toEqual([])
  // Its standard error, the channel, and the descriptors with which Node wakes itself.
  expect(open().filter((path) => path.startsWith('socket:')).length).toBeLessThanOrEqual(2)
  await stop()
})

test.runIf(knowsProcesses)('a query that is cancelled ends with its process', async () => {
  const { stop, pid } = await slowQuery()
  await stop()
  expect(unlessEnded(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')).toBe('')
})

test.runIf(knowsProcesses)('a signal for all processes of a service leaves the query to its parent', async () => {
  const { stop, pid, made } = await slowQuery()
  let hasEnded = false
  void made.catch(() => undefined).then(() => (hasEnded = true))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(hasEnded).toBe(false)
  await stop()
})

test.runIf(knowsProcesses).each(isLong ? (['SIGKILL', 'SIGSEGV', 'SIGABRT'] as const) : (['SIGKILL'] as const))(
  'a process that %s ends is the error of its step, and the next list is made',
  async (signal) => {
    const { pid, made, bench } = await slowQuery()
    process.kill(pid, signal)
    await expect(made).rejects.toMatchObject({ code: 'list-process', message: expect.stringContaining(signal) })
    await expect(bench.prepare(rows, { column: 'email' })).resolves.toMatchObject({ keys: 1 })
  },
)

test.runIf(knowsProcesses)('when the parent is killed, its query ends', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'people.csv'), rows)
  const module = new URL('../../src/lists/open-lists.ts', import.meta.url).href
  writeFileSync(
    join(folder, 'parent.mjs'),
    `const { openLists } = await import(${JSON.stringify(module)})
    const lists = openLists({ folder: ${JSON.stringify(join(folder, 'lists'))}, sources: {}, suppress: [] })
    await lists.make({ from: { file: ${JSON.stringify(join(folder, 'people.csv'))} }, sql: ${JSON.stringify(SLOW)}, signal: 'EMAIL' },
      { runId: 'run', stepKey: 'list', pipeline: 'p' }, new AbortController().signal)`,
  )
  const parent = spawn(process.execPath, [join(folder, 'parent.mjs')], { stdio: 'ignore' })
  onTestFinished(() => void parent.kill('SIGKILL'))
  await expect.poll(() => childrenOf(parent.pid ?? 0).filter(isBusy)).toHaveLength(1)
  const [pid = 0] = childrenOf(parent.pid ?? 0)
  const ended = once(parent, 'exit')
  parent.kill('SIGKILL')
  await ended
  await expect.poll(() => unlessEnded(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')).toBe('')
})

test('a process watches its memory itself, for systems that do not', async () => {
  const child = startSandbox({ memoryBytes: 2e9, timeoutMs: 60_000, fileBytes: 1e9, sparedMs: 0 })
  onTestFinished(() => child.end())
  const place = { files: [], tempDir: tempFolder(), memoryBytes: 100e6, diskBytes: 1e9, threads: 2 }
  await child.ask({ ask: 'open', place })
  const query = "SELECT length(repeat('x', 1000000000))"
  await expect(child.ask({ ask: 'run', sql: query, query })).rejects.toMatchObject({ code: 'list-memory' })
})

test.runIf(knowsProcesses)('the process of a query works on no other list, before or after it', async () => {
  const sandboxes = new Sandboxes(limits)
  onTestFinished(() => sandboxes.close())
  const bench = listBench({ sandboxes })
  const others = childrenOf(process.pid)
  const started = () => childrenOf(process.pid).filter((pid) => !others.includes(pid))
  await bench.prepare(rows, { column: 'email' })
  const before = started()
  const { stop, pid } = await slowQuery(bench)
  expect(before).not.toContain(pid)
  await stop()
  await bench.prepare(rows, { sql: 'SELECT email FROM input' })
  await bench.prepare(rows, { column: 'email' })
  expect(started()).not.toContain(pid)
})

test('a small list needs less memory than audience.yaml must allow', async () => {
  const sandboxes = new Sandboxes({ ...limits, memoryBytes: 200e6 })
  onTestFinished(() => sandboxes.close())
  const made = listBench({ sandboxes, suppress: [optOuts()] }).prepare(rows, { column: 'email' })
  await expect(made).resolves.toMatchObject({ keys: 1 })
})

test.runIf(knowsProcesses)('small lists share a process, which has room for what DuckDB counts', async () => {
  const memoryBytes = 256e6
  const sandboxes = new Sandboxes({ ...limits, memoryBytes })
  onTestFinished(() => sandboxes.close())
  const bench = listBench({ sandboxes, suppress: [optOuts()] })
  const others = childrenOf(process.pid)
  const started = new Set<number>()
  for (let list = 0; list < 12; list += 1) {
    await bench.prepare(rows, { column: 'email' })
    for (const pid of childrenOf(process.pid).filter((one) => !others.includes(one))) {
      const [taken, most] = unlessEnded(() => [used(pid), limitOf(pid)], [0, Number.POSITIVE_INFINITY])
      expect(Number(most) - Number(taken)).toBeGreaterThan(0.4 * memoryBytes)
      started.add(pid)
    }
  }
  // A process that has been idle for seconds, because the machine is busy, has ended.
  expect(started.size).toBeLessThan(4)
})

function optOuts(): string {
  const file = join(tempFolder(), 'left.csv')
  writeFileSync(file, 'Record ID,Email Address\n5,bob@example.com\n')
  return file
}

const used = (pid: number) =>
  Number(/VmData:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
const limitOf = (pid: number) => Number(/Max data size\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1])

test('the system ends a process that works longer than it may, also if its parent does not', async () => {
  const child = startSandbox({ memoryBytes: 300e6, timeoutMs: 500, fileBytes: 1e9, sparedMs: 0 })
  onTestFinished(() => child.end())
  await child.ask({
    ask: 'open',
    place: { files: [], tempDir: tempFolder(), memoryBytes: 300e6, diskBytes: 1e9, threads: 2 },
  })
  await expect(child.ask({ ask: 'run', sql: SLOW, query: SLOW })).rejects.toMatchObject({ code: 'list-timeout' })
})

test('a query that writes more to the disk than it may is an error', async () => {
  const tempDir = tempFolder()
  const child = startSandbox({ memoryBytes: 800e6, timeoutMs: 60_000, fileBytes: 20e6, sparedMs: 0 })
  onTestFinished(() => child.end())
  await child.ask({
    ask: 'open',
    // It writes to the disk as soon as this much of its memory is full.
    place: { files: [join(tempDir, 'made')], tempDir, memoryBytes: 150e6, diskBytes: 20e6, threads: 2 },
  })
  const write = `COPY (FROM range(100000000)) TO '${join(tempDir, 'made')}' (FORMAT csv, USE_TMP_FILE false)`
  await expect(child.ask({ ask: 'rows', sql: write })).rejects.toMatchObject({ code: 'list-disk-full' })
  const sort = 'CREATE TABLE t AS SELECT md5(range::VARCHAR) AS k FROM range(20000000) ORDER BY k'
  await expect(child.ask({ ask: 'run', sql: sort, query: undefined })).rejects.toMatchObject({ code: 'list-disk-full' })
})

/** A query that would take hours, and its process. */
async function slowQuery(bench = listBench({ limits })) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const others = childrenOf(process.pid)
  const started = () => childrenOf(process.pid).filter((pid) => !others.includes(pid) && isBusy(pid))
  const made = bench.prepare(rows, { sql: SLOW }, stop.signal)
  made.catch(() => undefined)
  await expect.poll(started).toHaveLength(1)
  const [pid = 0] = started()
  return {
    bench,
    made,
    pid,
    stop: async () => {
      stop.abort()
      await expect(made).rejects.toMatchObject({ name: 'AbortError' })
    },
  }
}

/**
 * Whether a thread other than the first has worked for a tenth of a second: then the process is executing the query.
 */
function isBusy(pid: number): boolean {
  const threads = unlessEnded(() => readdirSync(`/proc/${pid}/task`), [])
  return threads.some((thread) => {
    const stat = unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'), '')
    return thread !== String(pid) && Number(stat.split(') ')[1]?.split(' ')[11] ?? 0) > 10
  })
}
