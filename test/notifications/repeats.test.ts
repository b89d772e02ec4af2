import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
})
afterEach(() => bench.close())

/** Each sweep belongs to a new process: only the state is kept. */
const sweep = (at: number, repeatMs: number | undefined = DAY_MS) => createSweep(bench.sweepDeps({ repeatMs }))(at)

async function fail(runId: string, at: number, pipeline = 'nightly'): Promise<void> {
  await bench.run(runId, { pipeline, key: runId, at })
  const error = { code: 'x', kind: 'failed', message: `the reason of ${runId}` } as const
  await bench.end(runId, 'failed', at, error)
}

const told = async () => (await bench.waiting()).map(({ key, title }) => `${key}: ${title}`)

test('a pipeline that keeps failing is told at once, and then once in the time of repeat, with the number', async () => {
  for (let hour = 0; hour < 50; hour++) {
    await fail(`r${hour}`, START + hour * HOUR_MS)
    await sweep(START + hour * HOUR_MS)
  }
  expect(await told()).toEqual([
    'failure/r0: nightly failed',
    `failure/nightly/again/${START}: nightly still fails: 24 more times since 2026-11-27 02:00:00 UTC`,
    `failure/nightly/again/${START + DAY_MS}: nightly still fails: 24 more times since 2026-11-28 02:00:00 UTC`,
  ])
  expect((await bench.waiting())[1]).toMatchObject({
    runId: 'r24',
    page: 'runs?pipeline=nightly&status=failed',
    error: { message: 'the last run: the reason of r24' },
    next: ['audience runs show r24'],
  })
})

test('the time is up although nothing happens then, and a night that ends a little earlier is not left out', async () => {
  await fail('r1', START)
  await sweep(START)
  await fail('r2', START + DAY_MS - 60_000)
  await sweep(START + DAY_MS - 60_000)
  expect(await told()).toHaveLength(1)
  await sweep(START + DAY_MS)
  await sweep(START + 2 * DAY_MS)
  expect(await told()).toEqual([
    'failure/r1: nightly failed',
    expect.stringContaining('nightly still fails: once more since'),
  ])
})

test('a recovery ends it: the next failure is told at once, and other pipelines are told by themselves', async () => {
  await fail('r1', START)
  await fail('r2', START + 1)
  await fail('other', START + 1, 'weekly')
  await bench.run('r3', { key: 'r3' })
  await bench.end('r3', 'succeeded', START + 2)
  await fail('r4', START + 3)
  await sweep(START + 3)
  await sweep(START + DAY_MS + 3)
  expect((await bench.waiting()).map(({ key }) => key)).toEqual([
    'failure/r1',
    'failure/other',
    'recovery/r3',
    'failure/r4',
  ])
})

test('what was kept back is told at once where repeat is gone', async () => {
  await fail('r1', START)
  await fail('r2', START + 1)
  await sweep(START + 1)
  expect(await told()).toHaveLength(1)
  await createSweep(bench.sweepDeps({}))(START + 2)
  expect(await told()).toHaveLength(2)
})

test('so are slots of which no run could be made', async () => {
  for (const key of ['a', 'b']) await bench.occur('failed', key, { at: START })
  await sweep(START)
  await sweep(START + DAY_MS)
  expect((await bench.waiting()).map(({ title, runId }) => [title, runId])).toEqual([
    [expect.stringContaining('no run of nightly could be made'), undefined],
    [expect.stringContaining('nightly still fails: once more since'), undefined],
  ])
})

/** A dropped file that got no run, or whose run failed. */
const refuse = (name: string, at: number) => bench.occur('failed', name, { trigger: 'drop', at, detail: { name } })
async function failFile(runId: string, at: number): Promise<void> {
  await bench.run(runId, { key: runId, at, file: `${runId}.csv` })
  await bench.end(runId, 'failed', at)
}
async function succeed(runId: string, at: number): Promise<void> {
  await bench.run(runId, { key: runId, at })
  await bench.end(runId, 'succeeded', at)
}

test('the success of another file does not end the failure of a file: it is told before the recovery', async () => {
  await refuse('a.csv', START)
  await sweep(START)
  await refuse('b.csv', START + 1)
  await failFile('c', START + 2)
  await succeed('d', START + 3)
  await sweep(START + 3)
  await sweep(START + DAY_MS + 3)
  expect(await told()).toEqual([
    'failure/nightly/drop/a.csv: no run of nightly could be made for the file a.csv',
    `failure/nightly/files/${START + 3}: 2 more files of nightly failed since 2026-11-27 02:00:00 UTC`,
    'recovery/d: nightly works again, after it had failed at 2026-11-27 02:00:00 UTC',
  ])
  expect((await bench.waiting())[1]).toMatchObject({ page: 'files', next: ['audience files list'] })
})

test('a recovery names the last failure, also if that was of a file without a run and was told again since', async () => {
  await fail('r1', START)
  await sweep(START)
  await refuse('a.csv', START + HOUR_MS)
  await sweep(START + HOUR_MS)
  await sweep(START + DAY_MS)
  await succeed('r2', START + DAY_MS + 1)
  await sweep(START + DAY_MS + 1)
  expect((await told()).at(-1)).toBe('recovery/r2: nightly works again, after it had failed at 2026-11-27 03:00:00 UTC')
})

test('files that are counted among further failures are told with those alone', async () => {
  await fail('r1', START)
  await sweep(START)
  await refuse('a.csv', START + 1)
  await sweep(START + 1)
  await sweep(START + DAY_MS)
  await succeed('r2', START + DAY_MS + 1)
  await sweep(START + DAY_MS + 1)
  expect((await bench.waiting()).map(({ key }) => key)).toEqual([
    'failure/r1',
    `failure/nightly/again/${START}`,
    'recovery/r2',
  ])
  expect((await bench.waiting())[1]?.next).toEqual(['audience runs show r1', 'audience files list'])
})
