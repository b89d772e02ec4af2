import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { audience } from '../support/audience.ts'
import { commandLine } from '../support/command-line.ts'
import { copyAsKilled, openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DAY_MS = 86_400_000
const PAGE_BYTES = 4096

/** A project with runs of the last hundred days, one per day, the newest last. */
async function project(runs: number) {
  const folder = tempFolder()
  const { addRun, runs: history, journal } = openRecordedProject(folder)
  const start = Date.now() - (runs - 0.5) * DAY_MS
  await Promise.all(
    Array.from({ length: runs }, (_, day) =>
      addRun(`run-${day}`, { at: start + day * DAY_MS, status: day === 1 ? 'succeeded' : 'failed' }),
    ),
  )
  const options = { cwd: folder, env: { AUDIENCE_STATE: join(folder, 'state') } }
  return { folder, file: join(folder, 'state/runs.db'), options, history, journal }
}

/** Overwrites all pages except the first. */
function damage(file: string): void {
  const size = statSync(file).size
  const opened = openSync(file, 'r+')
  writeSync(opened, Buffer.alloc(size - PAGE_BYTES, 0xff), 0, size - PAGE_BYTES, PAGE_BYTES)
  closeSync(opened)
}

test('prune keeps what the retention says, tells of the space that is free, and compact gives it back', async () => {
  const { file, options, history, journal } = await project(400)
  expect(await commandLine(['runs', 'prune', '--dry-run'], options)).toMatchObject({ out: 'would remove 309 runs\n' })
  const db = new DatabaseSync(file)
  onTestFinished(() => db.close())
  // The inputs of the runs were large.
  db.exec(`UPDATE records SET data = json_set(data, '$.text', '${'x'.repeat(9000)}') WHERE seq = 0`)
  const pruned = await commandLine(['runs', 'prune'], options)
  expect(pruned.out).toMatch(/^removed 309 runs\nruns\.db keeps its size.*audience state compact/)
  expect(pruned.err).toBe('')
  const left = (await history.page({ limit: 999 })).rows.map(({ runId }) => runId)
  expect([left.length, left.at(-1)]).toEqual([91, 'run-1'])
  expect(db.prepare('SELECT count(DISTINCT run_id) AS runs FROM records').get()).toEqual({ runs: 91 })

  expect(await commandLine(['state', 'compact'], options)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is working on runs'),
  })
  const before = statSync(file).size
  journal.close()
  expect(await commandLine(['state', 'compact'], options)).toMatchObject({ code: 0 })
  expect(statSync(file).size).toBeLessThan(before / 2)
  expect(await commandLine(['state', 'check'], options)).toMatchObject({
    code: 0,
    out: expect.stringContaining('91 runs, 182 records'),
  })
})

test('check finds inconsistencies that SQLite accepts', async () => {
  const { file, options, journal } = await project(6)
  const db = new DatabaseSync(file)
  onTestFinished(() => {
    db.close()
    journal.close()
  })
  expect(JSON.parse((await commandLine(['state', 'check', '--json'], options)).out)).toMatchObject({
    ...{ ok: true, version: 3, runs: 6, records: 12, problems: [] },
  })
  db.exec(`
    DELETE FROM records WHERE run_id = 'run-0';
    UPDATE records SET seq = 5 WHERE run_id = 'run-1' AND seq = 1;
    DELETE FROM records WHERE run_id = 'run-2' AND seq = 1;
    UPDATE records SET data = '{' WHERE run_id = 'run-3' AND seq = 0;
    DELETE FROM runs WHERE run_id = 'run-4';
    INSERT INTO step_memory VALUES ('local', '', 'nightly', 'upload', '{');
  `)
  const { code, out } = await commandLine(['state', 'check', '--json'], options)
  const found = (JSON.parse(out) as { problems: { kind: string; runId?: string }[] }).problems
  expect(found.map(({ kind, runId }) => `${kind} ${runId}`).sort()).toEqual([
    ...['memory undefined', 'record run-1', 'record run-3', 'record run-4', 'run run-0', 'run run-2'],
  ])
  expect(code).toBe(1)
})

test('check finds packed records that cannot be read, that are too few, twice, or those of a run that goes on', async () => {
  const { file, options, history, journal } = await project(6)
  await history.pack(60_000)
  const db = new DatabaseSync(file)
  onTestFinished(() => {
    db.close()
    journal.close()
  })
  const check = async () =>
    JSON.parse((await commandLine(['state', 'check', '--json'], options)).out) as {
      records: number
      problems: { kind: string; runId?: string }[]
    }
  expect(await check()).toMatchObject({ ok: true, runs: 6, records: 12, problems: [] })
  db.exec(`
    UPDATE packed_records SET data = substr(data, 1, length(data) - 1) || X'00' WHERE run_id = 'run-0';
    UPDATE packed_records SET records = 3 WHERE run_id = 'run-1';
    INSERT INTO records (run_id, seq, at, data) VALUES ('run-2', 0, 0, '{}');
    UPDATE runs SET finished_at = NULL WHERE run_id = 'run-3';
    DELETE FROM runs WHERE run_id = 'run-4';
  `)
  const found = (await check()).problems.map(({ kind, runId }) => `${kind} ${runId}`)
  expect([...new Set(found)].sort()).toEqual(['record run-0', 'record run-1', 'record run-4', 'run run-2', 'run run-3'])
  await expect(history.records('run-0')).rejects.toMatchObject({
    code: 'state-damaged',
    message: expect.stringContaining('the records of run run-0 cannot be read'),
  })
})

test('damage is found: by check, and by the daemon after a stop that was not clean, and both say what to do', async () => {
  const { folder, journal } = await project(40)
  journal.close()
  const { addRun, journal: again } = openRecordedProject(folder)
  await addRun('last')
  const killed = join(tempFolder(), 'state')
  copyAsKilled(join(folder, 'state'), killed, { shm: 'gone' })
  again.close()
  mkdirSync(join(killed, '../pipelines'))
  const options = { cwd: join(killed, '..'), env: { AUDIENCE_STATE: killed } }
  expect(await commandLine(['state', 'check'], options)).toMatchObject({ code: 0 })

  copyAsKilled(killed, join(killed, '../damaged'), { shm: 'gone' })
  const damaged = { ...options, env: { AUDIENCE_STATE: join(killed, '../damaged') } }
  damage(join(killed, '../damaged/runs.db'))
  const [check, started] = await Promise.all([
    audience(['state', 'check'], damaged),
    audience(['start', '--port', '0'], damaged),
  ])
  for (const { code, out, err } of [check, started]) {
    expect(out + err).toMatch(/is damaged: (.|\n)*restore the newest backup/)
    expect(code).toBe(1)
  }
})

test('where there is no state there is nothing to check or to compact', async () => {
  const options = { cwd: tempFolder(), env: { AUDIENCE_STATE: join(tempFolder(), 'none') } }
  for (const command of ['check', 'compact'])
    expect(await commandLine(['state', command], options)).toMatchObject({ code: 2 })
})
