import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SEGMENT_SIGNALS } from '../../../src/contract/enumerations.ts'
import { normaliseKey } from '../../../src/contract/normalise-key.ts'
import { defaultNetwork } from '../../../src/service/network/default-network.ts'
import type { Network } from '../../../src/service/network/network.ts'
import { openPeopleDatabase, type PeopleDatabase } from '../../../src/service/population/database.ts'
import { createPopulation } from '../../../src/service/population/population.ts'
import { type SampleRequest, writeSampleFile } from '../../../src/service/population/sample.ts'
import { hexThreshold, parquet } from '../../../src/service/population/sql.ts'
import { givePeopleTo } from '../../support/people.ts'

let dir: string
let database: PeopleDatabase

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'population-'))
  database = await openPeopleDatabase({ tempDir: join(dir, 'tmp'), threads: 2, memoryLimit: '1GB' })
})
afterAll(async () => {
  await database.close()
  await rm(dir, { recursive: true })
})

const rows = (sql: string) => database.session((session) => session.rows(sql))
const population = (name: string, network: Network) => createPopulation(join(dir, name), network, async () => database)
const small = { ...defaultNetwork, population: { people: 500, seed: 1 } }

async function sample(request: Omit<SampleRequest, 'target'>, network = defaultNetwork): Promise<string> {
  const target = join(dir, 'sample.csv')
  await database.session((session) => writeSampleFile(session, network, { ...request, target }))
  return readFile(target, 'utf8')
}

describe('samples', () => {
  test.each([
    ['EMAIL', '2b6e5715255f0093'],
    ['IDFA', 'b97b1371ea758704'],
    ['AAID', '137635e8351eec5e'],
    ['STBID', '30baee8648e421d5'],
    ['IP', 'f97164ab431826f3'],
    ['ADDRESS', '98864b287e55ddef'],
    ['ZIPCODE', 'cd5db746abdb6e60'],
    ['BGID', '64ea1764a3def5cf'],
    ['RECORD_ID', 'a5a4b3431e4d4f7a'],
    ['PARTNER_RECORD_ID', 'a69f8f26dd4cdef7'],
  ] as const)('of %s are the same bytes on every machine', async (signal, digest) => {
    const text = await sample({ signal, rows: 100, seed: 7, unknown: 10 })
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
  })

  test.each(SEGMENT_SIGNALS)('of %s are distinct normalised keys under a header', async (signal) => {
    const [header, ...lines] = (await sample({ signal, rows: 200, seed: 1, unknown: 20 })).trimEnd().split('\n')
    const keys = lines.map((line) => line.split(',')[0]!)
    expect(header).toBe(signal === 'IP' ? 'ip,timestamp' : signal.toLowerCase())
    expect(keys).toHaveLength(220)
    expect(new Set(keys.map((key) => normaliseKey(signal, key)))).toEqual(new Set(keys))
  })

  test('hold e-mails of reserved domains and addresses of reserved networks alone', async () => {
    const emails = (await sample({ signal: 'EMAIL', rows: 1000, seed: 1 })).trimEnd().split('\n').slice(1)
    const ips = (await sample({ signal: 'IP', rows: 1000, seed: 1 })).trimEnd().split('\n').slice(1)
    expect(emails.filter((email) => !/^[a-z.]+\d+@example\.(com|net|org)$/.test(email))).toEqual([])
    expect(ips.filter((ip) => !/^(10\.\d+\.\d+\.\d+|2001:db8:[0-9a-f:]+),20\d\d-/.test(ip))).toEqual([])
  })

  test('differ by seed, and end where the population ends', async () => {
    expect(await sample({ signal: 'EMAIL', rows: 50, seed: 1 })).not.toBe(
      await sample({ signal: 'EMAIL', rows: 50, seed: 2 }),
    )
    expect((await sample({ signal: 'BGID', rows: 9999, seed: 1 }, small)).trimEnd().split('\n')).toHaveLength(501)
  })

  test('cannot hold more unknown keys than there are', async () => {
    await expect(sample({ signal: 'EMAIL', rows: 1, seed: 1, unknown: 5_000_000 })).rejects.toMatchObject({
      code: 'sample-too-large',
    })
  })
})

test('the e-mails of the example pipeline are of the built-in population', async () => {
  const file = await readFile(new URL('../../../pipelines/data/auto-intenders.csv', import.meta.url), 'utf8')
  const keys = file
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => normaliseKey('EMAIL', line.replace(/^"(.*)"$/, '$1')))
  await givePeopleTo(join(dir, 'example'))
  const graph = await population('example/population', defaultNetwork).graph(
    defaultNetwork.participants[0]!,
    'EMAIL',
    'key',
  )
  // The graph has a hundred thousand keys; only these are read.
  const listed = keys.flatMap((key) => (key === undefined ? [] : [`'${key}'`]))
  const found = await rows(`SELECT key FROM ${parquet(graph)} WHERE key IN (${listed.join(', ')})`)
  const known = new Set(found.map((row) => row.key))
  expect(keys).toHaveLength(5201)
  expect(keys.filter((key) => key === undefined)).toHaveLength(1)
  expect(keys.filter((key) => known.has(key))).toHaveLength(5000)
})

describe('files', () => {
  test('stay for the same network and are made anew for another one', async () => {
    const participant = small.participants[1]!
    const made = async (network: Network) => {
      const people = population('kept', network)
      await people.prepare()
      return stat(await people.universe(participant))
    }
    const first = await made(small)
    expect((await made({ ...small, latencies: { PENDING: 1, READY: 1, RUNNING: 1 } })).mtimeMs).toBe(first.mtimeMs)
    const other = await made({ ...small, population: { people: 400, seed: 1 } })
    expect(other.size).not.toBe(first.size)
  })

  test('that a crash left half are made again', async () => {
    const people = population('crashed', small)
    await people.prepare()
    const file = await people.universe(small.participants[1]!)
    const whole = await readFile(file)
    await rm(file)
    await writeFile(`${file}.part`, whole.subarray(0, 100))
    const again = await population('crashed', small).universe(small.participants[1]!)
    expect((await rows(`SELECT count(*) AS n FROM ${parquet(again)}`))[0]?.n).toBe(
      (await rows(`SELECT count(DISTINCT bgid) AS n FROM ${parquet(again)}`))[0]?.n,
    )
  })

  test('a universe has the share of people that the network says, most with a scope and some with none', async () => {
    await givePeopleTo(join(dir, 'shares'))
    const people = population('shares/population', defaultNetwork)
    const participant = defaultNetwork.participants.find(({ id }) => id === 2001)!
    const [row] = await rows(
      `SELECT count(*) AS people, count(*) FILTER ("CABLE") AS cable, count(*) FILTER ("NONE") AS without FROM ${parquet(await people.universe(participant))}`,
    )
    expect(Number(row?.people) / 100_000).toBeCloseTo(0.45, 2)
    expect(Number(row?.cable) / Number(row?.people)).toBeCloseTo(0.72, 1)
    expect(Number(row?.without) / Number(row?.people)).toBeGreaterThan(0.1)
  })

  test('at any time an IP address is of one household', async () => {
    const graph = await population('ip', small).graph(small.participants[0]!, 'IP', 'key')
    const [row] = await rows(
      `SELECT max(n) AS n FROM (SELECT count(*) AS n FROM ${parquet(graph)} WHERE DATE '2025-06-01' >= from_day AND DATE '2025-06-01' < to_day GROUP BY key)`,
    )
    expect(row?.n).toBe(2n)
  })

  test('two keys of one signal are never of two strangers, but in a household or a ZIP code', async () => {
    const network = { ...defaultNetwork, population: { people: 20_000, seed: 1 } }
    const people = population('unique', network)
    for (const signal of ['EMAIL', 'IDFA', 'AAID', 'RECORD_ID', 'PARTNER_RECORD_ID', 'BGID'] as const) {
      const graph = parquet(await people.graph(network.participants[0]!, signal, 'key'))
      const [row] = await rows(`SELECT count(*) AS n, count(DISTINCT key) AS keys FROM ${graph}`)
      expect(row?.n, signal).toBe(row?.keys)
    }
  })
})

test.each([
  [0, '0000'],
  [0.01, '0290'],
  [0.5, '8000'],
  [1, 'g'],
])('the hex threshold of %d is %s', (share, threshold) => {
  expect(hexThreshold(share, 4)).toBe(threshold)
})
