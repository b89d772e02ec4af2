import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMatchEngine, type MatchEngine } from '../../src/service/matching/match-engine.ts'
import type { Network } from '../../src/service/network/network.ts'
import { startTestService, type TestService } from './support/start-test-service.ts'
import { testNetwork } from './support/test-network.ts'

const network: Network = { ...testNetwork, population: { people: 3000, seed: 11 } }

let dataDir: string
let engine: MatchEngine
let bench: TestService
let csv: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'audience-counts-'))
  engine = createMatchEngine({ dataDir, network, threads: 1, memoryLimit: '256MB' })
  bench = await startTestService({ dataDir, network, engine })
  const target = join(dataDir, 'sample.csv')
  await engine.sample({ signal: 'EMAIL', rows: 700, seed: 7, unknown: 200, target })
  csv = (await readFile(target, 'utf8')).replaceAll(/^(a.*)$/gm, (line) => ` ${line.toUpperCase()} `)
  await writeFile(join(dataDir, 'upload.csv'), csv)
})
afterAll(async () => {
  await bench.close()
  await rm(dataDir, { recursive: true })
})

describe('the counts of the whole service', () => {
  test.each([
    ['BGID', { partnerId: 2001 }, [2001]],
    ['BGID', { groupId: 9001 }, [2001, 2005]],
    ['HASHED', { partnerId: 2005 }, [2005]],
    ['HASHED', { groupId: 9001 }, [2001, 2005]],
  ] as const)('%s with %j are those of plain SQL over the same files', async (resultContent, counterpart, members) => {
    const segmentId = await bench.segment(`${resultContent}-${members.length}`, csv, { resultContent })
    const body = { segmentId, ...counterpart, deliveryScopes: ['CABLE', 'NONE'] }
    const job = await bench.job('POST /api/segments/match', body)
    const match = (await bench.send(`GET /api/segments/match/${job.matchId}`)).body
    expect(match.matchCount).toBeGreaterThan(0)
    expect(match.matchCount).toBe(await plainCount(resultContent === 'BGID' ? 1001 : undefined, members))
  })

  test('of a split add up to the match', async () => {
    const segmentId = await bench.segment('split', csv)
    const { matchId } = await bench.job('POST /api/segments/match', {
      segmentId,
      partnerId: 2001,
      deliveryScopes: ['CABLE'],
    })
    const percents = { shaveOffPercent: 10, controlHoldoutPercent: 20 }
    const job = await bench.job(`POST /api/segments/match/test-control/${matchId}`, percents)
    expect(job.status).toBe('SUCCESS')
    const { matchCount } = (await bench.send(`GET /api/segments/match/${matchId}`)).body
    const [row] = await query(
      `SELECT count(*)::INT AS people FROM '${join(dataDir, 'sets', `${job.id}-split.parquet`)}'`,
    )
    expect(row).toEqual({ people: matchCount })
  })
})

/**
 * The people of the file that a member reaches; their e-mails are known to the provider or, without a provider, to the
 * member.
 */
async function plainCount(provider: number | undefined, members: readonly number[]): Promise<number> {
  const file = (name: string) => `'${join(dataDir, 'population', name)}'`
  const hashed = provider === undefined
  const found = members.map(
    (member) => `
      SELECT bgid FROM ${file(`graphs/${provider ?? member}/EMAIL.${hashed ? 'hash' : 'key'}.parquet`)} AS graph
      JOIN people ON ${hashed ? 'graph.hash = sha256(people.email)' : 'graph.key = people.email'}
      WHERE bgid IN (SELECT bgid FROM ${file(`universes/${member}.parquet`)} WHERE "CABLE" OR "NONE")`,
  )
  const [row] = await query(`
    WITH people AS (SELECT DISTINCT lower(trim(email)) AS email FROM read_csv('${join(dataDir, 'upload.csv')}', header = true))
    SELECT count(DISTINCT bgid)::INT AS people FROM (${found.join(' UNION ALL ')})`)
  return Number(row?.people)
}

async function query(sql: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
