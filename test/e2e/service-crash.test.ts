import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMatchEngine, type MatchEngine } from '../../src/service/matching/match-engine.ts'
import { createCrashStories, type Variant } from '../service/support/crash-stories.ts'
import { type KillableService, spawnService } from '../service/support/killable-service.ts'
import { seededRandom } from '../service/support/seeded-random.ts'
import { startTestService } from '../service/support/start-test-service.ts'
import { testNetwork } from '../service/support/test-network.ts'
import { isLong } from '../support/is-long.ts'

const KILLS = isLong ? 28 : 8
const SEED = 20_260_131

let folder: string
let engine: MatchEngine
let service: KillableService | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audience-crash-'))
  engine = createMatchEngine({ dataDir: join(folder, 'reference'), network: testNetwork })
  await engine.prepare()
})
afterAll(async () => {
  await service?.kill()
  await engine.close()
  await rm(folder, { recursive: true })
})

test(`killed ${KILLS} times or more at random moments, it loses nothing, shows nothing half and finishes every job`, async () => {
  const random = seededRandom(SEED)
  const dataDir = join(folder, 'data')
  const variants = [await variant('a', 60), await variant('b', 300), await variant('c', 900)]
  const stories = createCrashStories(variants, seededRandom(SEED + 1))
  const kills = { starting: 0, running: 0 }

  const all = () => kills.starting + kills.running
  // The moment of a kill depends on chance and on the load of the machine.
  const isWholeStory = () => kills.starting > 0 && stories.finished() > 3 && stories.brokenOff() > 3
  while (all() < KILLS || (!isWholeStory() && all() < 5 * KILLS)) {
    service = spawnService(dataDir)
    // One kill in four is meant to hit the start. If the service starts faster, the kill hits it at work.
    const startingMs = random() < 0.25 ? random() * 250 : undefined
    const tooEarly = startingMs === undefined ? service.ready : sleep(startingMs).then(() => undefined)
    const address = await Promise.race([service.ready, tooEarly])
    if (!address) {
      kills.starting++
      await service.kill()
      continue
    }
    stories.resume(address)
    await stories.checkAccepted(address)
    // Counts progress, not time, so that a slow machine covers as much.
    await stories.progress(Math.ceil(random() * 30))
    await sleep(random() * 30)
    kills.running++
    stories.pause()
    await service.kill()
  }
  await stories.stop()

  const bench = await startTestService({ dataDir, engine: undefined as never })
  await expect.poll(async () => (await bench.control('GET /jobs?active=true')).body.jobs).toEqual([])
  const { jobs } = (await bench.control('GET /jobs?limit=1000')).body
  expect(jobs.filter((job: { status: string }) => job.status !== 'SUCCESS')).toEqual([])
  await stories.checkAccepted(bench.service)
  await bench.restart()
  await bench.close()

  const everything = await readdir(dataDir, { recursive: true })
  expect(everything.filter((name) => /\.part$|\.new$|service\.db-/.test(name))).toEqual([])
  const { files, segments, matches } = await stateOf(dataDir)
  for (const { name, content, bytes } of files) {
    const wanted = variants.find((one) => name.startsWith(one.name))
    expect((await readFile(join(dataDir, 'files', content), 'utf8')) === wanted?.csv, name).toBe(true)
    expect(bytes).toBe(Buffer.byteLength(wanted?.csv ?? ''))
  }
  for (const { file, members } of segments) {
    expect(members, file).toBe(variants.find((one) => file.startsWith(one.name))?.members)
  }
  for (const { count } of matches) expect(variants.map((one) => one.matched)).toContain(count)
  expect((await readdir(join(dataDir, 'files'))).sort()).toEqual(files.map(({ content }) => content).sort())
  const sets = [...segments, ...matches].flatMap(({ sets }) => sets).filter((set) => set !== null)
  expect((await readdir(join(dataDir, 'sets'))).sort()).toEqual([...new Set(sets)].sort())

  const counts = { ...kills, finished: stories.finished(), brokenOff: stories.brokenOff() }
  expect(isWholeStory(), JSON.stringify(counts)).toBe(true)
})

/** A file of the population, and the expected result, as computed by the engine alone. */
async function variant(name: string, rows: number): Promise<Variant> {
  const path = (file: string) => join(folder, `${name}-${file}`)
  await engine.sample({ signal: 'EMAIL', rows, seed: rows, target: path('csv') })
  const build = { signal: 'EMAIL', resultContent: 'BGID', dated: false, at: new Date(), providerId: 1001 } as const
  const { members } = await engine.buildSegment({ ...build, csvFile: path('csv'), target: path('segment') })
  const match = { resultContent: 'BGID', uploadSignal: 'EMAIL', participants: [2001], scopes: ['CABLE'] } as const
  const { matchCount } = await engine.match({ ...match, segmentFile: path('segment'), target: path('match') })
  return { name, csv: await readFile(path('csv'), 'utf8'), members, matched: matchCount }
}

/** The content of the store after everything was closed. */
async function stateOf(dataDir: string) {
  const db = new DatabaseSync(join(dataDir, 'service.db'), { readOnly: true })
  const files = db.prepare('SELECT name, content, bytes FROM files').all()
  const segments = db.prepare('SELECT segment_file_name, members, set_file FROM segments').all()
  const matches = db.prepare('SELECT match_count, set_file, split_file FROM matches').all()
  db.close()
  return {
    files: files.map(({ name, content, bytes }) => ({ name: String(name), content: String(content), bytes })),
    segments: segments.map(({ segment_file_name: file, members, set_file: set }) => ({
      file: String(file),
      members,
      sets: [set],
    })),
    matches: matches.map(({ match_count: count, set_file: set, split_file: split }) => ({ count, sets: [set, split] })),
  }
}
