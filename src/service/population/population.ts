import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Signal } from '../../contract/enumerations.ts'
import { codeOf } from '../../core/code-of.ts'
import type { Network, Participant } from '../network/network.ts'
import type { PeopleDatabase } from './database.ts'
import { bgidOf, hexOf, keyRelation, type People } from './keys.ts'
import { hexThreshold } from './sql.ts'
import { universeRelation } from './universe.ts'
import { writeAside, writeRelation } from './write-aside.ts'

/** Increase this when the code makes different people from the same network, so that no old data folder is reused. */
const GENERATION = 1

/** The synthetic people of a network: Parquet files that are created on first use and then kept. */
export interface Population {
  /** Keeps the files on disk if they belong to this network. Otherwise removes them. */
  prepare(): Promise<void>
  /** The file of the people that a participant can reach, with the columns bgid, one boolean per scope, and NONE. */
  universe(participant: Participant): Promise<string>
  /**
   * The file of a participant's identity graph for a signal, with the columns key or hash, and bgid. For IP, there are
   * also the columns from_day and to_day (exclusive).
   */
  graph(participant: Participant, signal: Signal, index: GraphIndex): Promise<string>
}

export function createPopulation(dir: string, network: Network, database: () => Promise<PeopleDatabase>): Population {
  const who = network.population
  const making = new Map<string, Promise<string>>()

  return {
    prepare: () => keepOnly(dir, digestOf(network)),
    universe: (participant) =>
      once(join(dir, 'universes', `${participant.id}.parquet`), () => universeRelation(participant, who)),
    graph: (participant, signal, index) =>
      once(join(dir, 'graphs', String(participant.id), `${signal}.${index}.parquet`), () =>
        graphRelation(participant, signal, index, who),
      ),
  }

  function once(file: string, relation: () => string): Promise<string> {
    const begun = making.get(file)
    if (begun) return begun
    const made = make(file, relation)
    making.set(file, made)
    made.catch(() => making.delete(file))
    return made
  }

  async function make(file: string, relation: () => string): Promise<string> {
    if (existsSync(file)) return file
    await (await database()).session((session) =>
      writeRelation(session, relation(), { target: file, format: 'parquet, COMPRESSION zstd' }),
    )
    return file
  }
}

/** A digest of everything that determines the files. */
function digestOf({ population, participants }: Network): string {
  const from = participants.map(({ id, deliveryScopes, universeCoverage, graphCoverage }) => ({
    id,
    deliveryScopes,
    universeCoverage,
    graphCoverage,
  }))
  return createHash('sha256')
    .update(JSON.stringify([GENERATION, population, from]))
    .digest('hex')
}

/** Empties the folder unless its manifest has this digest. The manifest is written before the files that it covers. */
async function keepOnly(dir: string, digest: string): Promise<void> {
  const file = join(dir, 'manifest.json')
  const manifest = `${JSON.stringify({ digest })}\n`
  if ((await textOf(file)) === manifest) return
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await writeAside(file, (aside) => writeFile(aside, manifest))
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The key of a graph lookup: the normalised key, or its SHA-256 for keys that were hashed elsewhere. */
type GraphIndex = 'key' | 'hash'

/**
 * What a participant's own identity graph knows about one signal: a relation with the columns key or hash, and bgid.
 * For IP, there are also the columns from_day and to_day (exclusive). Hashes are text in lower-case hexadecimal,
 * because DuckDB 1.5 loses equal rows of a binary column whose Parquet pages have a dictionary.
 */
function graphRelation(participant: Participant, signal: Signal, index: GraphIndex, who: People): string {
  const lookUp = index === 'key' ? 'key' : 'sha256(key) AS hash'
  const period = signal === 'IP' ? ', from_day, to_day' : ''
  const known = `substr(${hexOf(who, `graph ${participant.id} ${signal}`)}, 1, 8) < '${hexThreshold(participant.graphCoverage, 8)}'`
  return `SELECT ${lookUp}${period}, ${bgidOf(who)} AS bgid
    FROM (${keyRelation(signal, who, participant.id, 0, who.people)}) WHERE ${known} ORDER BY ${index}, bgid`
}
