import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mountSmallDisk } from '../support/soak/small-disk.ts'
import { createFakeEngine } from './support/fake-engine.ts'
import { newSegment, startTestService } from './support/start-test-service.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audience-persistence-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('the data folder', () => {
  test('keeps its tokens where only their owner reads them, and none in the store', async () => {
    const bench = await startTestService()
    expect((await stat(join(bench.dataDir, 'tokens.json'))).mode & 0o777).toBe(0o600)
    const { token, control } = bench.service
    const other = await bench.tokenOf(2001)
    await bench.restart()
    expect([bench.service.token, bench.service.control.token, await bench.tokenOf(2001)]).toEqual([
      token,
      control.token,
      other,
    ])
    await bench.close()
  })

  test('says where and why if its store cannot be used', async () => {
    const dataDir = await mkdtemp(join(folder, 'unusable-'))
    await mkdir(join(dataDir, 'service.db'))
    await expect(startTestService({ dataDir })).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining(join(dataDir, 'service.db')),
      hint: expect.stringContaining('permissions'),
    })
  })

  test('says that its disk is full', async (context) => {
    const dataDir = join(folder, 'full')
    const disk = mountSmallDisk(dataDir, 2)
    if (!disk) return context.skip('this user may not mount')
    disk.fill()
    await expect(startTestService({ dataDir })).rejects.toMatchObject({
      code: 'store-unusable',
      message: `the data of the embedded service in ${join(dataDir, 'service.db')} cannot be used: its disk is full`,
      hint: 'make room on its disk, or name another folder with AUDIENCE_STATE',
    })
    disk.remove()
  })

  test('belongs to one service at a time', async () => {
    const bench = await startTestService()
    await expect(startTestService({ dataDir: bench.dataDir })).rejects.toMatchObject({ code: 'store-in-use' })
    const script = fileURLToPath(new URL('./support/service-process.ts', import.meta.url))
    const other = spawnSync(process.execPath, [script, bench.dataDir], { encoding: 'utf8' })
    expect([other.status, other.stderr]).toEqual([
      1,
      expect.stringContaining('service.db is in use by another process'),
    ])
    expect((await bench.send('GET /api/groups')).status).toBe(200)
    await bench.close()
  })

  test('of a newer version is refused and left alone', async () => {
    const dataDir = join(folder, 'newer')
    await mkdir(dataDir)
    const db = new DatabaseSync(join(dataDir, 'service.db'))
    db.exec('PRAGMA user_version = 4711')
    db.close()
    await expect(startTestService({ dataDir })).rejects.toMatchObject({ code: 'store-too-new' })
  })

  test('is swept of what a crash left behind', async () => {
    const bench = await startTestService()
    const segmentId = await bench.segment('a', 'ann')
    const left = [
      join('files', 'half-an-upload'),
      join('sets', '4711-segment.parquet'),
      join('sets', '4711-match.parquet.part'),
    ]
    for (const name of left) await writeFile(join(bench.dataDir, name), 'x')
    await bench.restart()
    expect(await readdir(join(bench.dataDir, 'files'))).toHaveLength(1)
    expect(await readdir(join(bench.dataDir, 'sets'))).toHaveLength(1)
    const job = await bench.job('POST /api/segments/match', { segmentId, partnerId: 2001, deliveryScopes: ['NONE'] })
    expect(job.status).toBe('SUCCESS')
    await bench.close()
  })
})

describe('closing', () => {
  test('leaves unfinished work to the next start', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const engine = createFakeEngine({
      beforeWork: () => {
        begun.resolve()
        return held.promise
      },
    })
    const bench = await startTestService({
      engine: { ...engine, close: async () => held.reject(new Error('interrupted')) },
    })
    await bench.upload('a.csv', 'ann')
    const { id } = (await bench.send('POST /api/segments', { body: newSegment('a') })).body
    await begun.promise
    await bench.service.close()
    const again = await startTestService({ dataDir: bench.dataDir })
    await expect.poll(async () => (await again.send(`GET /api/jobs/${id}`)).body.status).toBe('SUCCESS')
    await again.close()
    await rm(bench.dataDir, { recursive: true })
  })
})

describe('a job that cannot go on', () => {
  test('fails alone', async () => {
    const bench = await startTestService()
    const segmentId = await bench.segment('a', 'ann')
    await bench.service.close()
    const db = new DatabaseSync(join(bench.dataDir, 'service.db'))
    const request = JSON.stringify({ kind: 'segments.refresh', segmentFileName: 'a.csv', uploadSignal: 'EMAIL' })
    // The job has finished its work but has no result. The service itself can never reach this state.
    db.prepare(`INSERT INTO jobs (id, participant, kind, status, phase, work, active, due_at, segment_id, request, created_at, changed_at)
      VALUES (4711, 1001, 'segments.refresh', 'RUNNING', 2, 0, 1, 1, ?, ?, 1, 1)`).run(segmentId, request)
    db.close()
    const again = await startTestService({ dataDir: bench.dataDir })
    const job = await again.job('POST /api/segments/share', { segmentId, partnerId: 2001 })
    expect(job.status).toBe('SUCCESS')
    expect((await again.send('GET /api/jobs/4711')).body.status).toBe('PARTIAL_SUCCESS')
    await again.close()
    await rm(bench.dataDir, { recursive: true })
  })
})
