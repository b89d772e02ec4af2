import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Signal } from '../../../src/contract/enumerations.ts'
import { createMatchEngine, type MatchEngine } from '../../../src/service/matching/match-engine.ts'
import type { Network } from '../../../src/service/network/network.ts'
import { resolveNetwork } from '../../../src/service/network/resolve-network.ts'
import { openPeopleDatabase } from '../../../src/service/population/database.ts'
import { createPopulation } from '../../../src/service/population/population.ts'
import { parquet } from '../../../src/service/population/sql.ts'

/** What one participant's graph knows about a key. */
interface Known {
  readonly key: string
  readonly bgid: string
  readonly from: string
  readonly to: string
}

/** A person of a universe, and the scopes on which the person can be reached. */
export interface Reachable {
  readonly bgid: string
  readonly scopes: ReadonlySet<string>
}

/** A match engine in a new folder, and its data as plain JavaScript values. */
export interface EngineBench {
  readonly engine: MatchEngine
  readonly network: Network
  path(name: string): string
  csv(text: string | Buffer): Promise<string>
  /** The lines of an exported set, without the header. */
  linesOf(file: string): Promise<string[]>
  universe(participant: number): Promise<Reachable[]>
  graph(participant: number, signal: Signal): Promise<Known[]>
  [Symbol.asyncDispose](): Promise<void>
}

export const CALLER = 1
export const OWNERS = [2, 3, 4] as const

export interface SmallNetwork {
  readonly people?: number
  readonly seed?: number
  readonly universeCoverage?: number
  readonly graphCoverage?: number
}

/** Four participants: the caller knows everybody, owner 4 has a custom scope and no CABLE. */
export function smallNetwork({
  people = 200,
  seed = 1,
  universeCoverage = 0.6,
  graphCoverage = 0.7,
}: SmallNetwork = {}): Network {
  const owner = (id: number, deliveryScopes: string[]) => ({
    id,
    name: `Owner ${id}`,
    deliveryScopes,
    universeCoverage,
    graphCoverage,
  })
  return resolveNetwork({
    version: 1,
    participants: [
      { id: CALLER, name: 'Caller', graphCoverage: 1 },
      owner(2, ['CABLE', 'HIGH_SPEED_DATA']),
      owner(3, ['CABLE', 'VOD_ACTIVE']),
      owner(4, ['HIGH_SPEED_DATA', 'CUSTOM_1']),
    ],
    population: { people, seed },
  })
}

export async function engineBench(network = smallNetwork()): Promise<EngineBench> {
  const dir = await mkdtemp(join(tmpdir(), 'match [engine] *'))
  const engine = createMatchEngine({ dataDir: join(dir, 'data'), network, threads: 1, memoryLimit: '500MB' })
  const database = await openPeopleDatabase({ tempDir: join(dir, 'tmp'), threads: 1, memoryLimit: '500MB' })
  const population = createPopulation(join(dir, 'reference'), network, async () => database)
  await engine.prepare()
  await population.prepare()
  let files = 0
  const path = (name: string) => join(dir, name)
  const rows = (sql: string) => database.session((session) => session.rows(sql))
  const participant = (id: number) => network.participants.find((candidate) => candidate.id === id)!
  return {
    engine,
    network,
    path,
    async csv(text) {
      const file = path(`upload [${files++}].csv`)
      await writeFile(file, text)
      return file
    },
    async linesOf(file) {
      await engine.exportSet({ file, target: path('export.csv') })
      return (await readFile(path('export.csv'), 'utf8')).trimEnd().split('\n').slice(1)
    },
    async universe(id) {
      const people = await rows(`SELECT * FROM ${parquet(await population.universe(participant(id)))}`)
      return people.map(({ bgid, ...scopes }) => ({
        bgid: String(bgid),
        scopes: new Set(Object.keys(scopes).filter((scope) => scope !== 'NONE' && scopes[scope] === true)),
      }))
    },
    async graph(id, signal) {
      const period =
        signal === 'IP' ? 'from_day::VARCHAR AS since, to_day::VARCHAR AS until' : `'0' AS since, '9' AS until`
      const file = parquet(await population.graph(participant(id), signal, 'key'))
      const known = await rows(`SELECT key, bgid, ${period} FROM ${file}`)
      return known.map((row) => ({
        key: String(row.key),
        bgid: String(row.bgid),
        from: String(row.since),
        to: String(row.until),
      }))
    },
    async [Symbol.asyncDispose]() {
      await engine.close()
      await database.close()
      await rm(dir, { recursive: true })
    },
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
