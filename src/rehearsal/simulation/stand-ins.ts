import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileSignal, Signal } from '../../contract/enumerations.ts'
import { type AudienceError, failedError } from '../../core/errors.ts'
import { sha256 } from '../../core/sha256.ts'
import { type ListFigures, NORMALISATION } from '../../lists/list-request.ts'
import type { Lists } from '../../lists/lists.ts'
import type { MatchEngine } from '../../service/matching/match-engine.ts'

/** How many people a made-up list has. */
const PEOPLE = 5_200

/** For each signal, makes the key of a person who does not exist. */
const KEYS: Readonly<Record<Signal, (person: number) => string>> = {
  EMAIL: (person) => `person${person}@example.com`,
  IP: (person) => `10.${(person >> 16) & 255}.${(person >> 8) & 255}.${person & 255}`,
  IDFA: deviceOf,
  AAID: deviceOf,
  STBID: deviceOf,
  ADDRESS: (person) => `${person} main street 10001`,
  ZIPCODE: (person) => String(10_000 + (person % 80_000)),
  PARTNER_RECORD_ID: (person) => `p${person}`,
  BGID: (person) => `b${person}`,
  RECORD_ID: (person) => `r${person}`,
}

function deviceOf(person: number): string {
  return `00000000-0000-4000-8000-${person.toString(16).padStart(12, '0')}`
}

/**
 * A list of made-up people: a header, then one key per line. Besides the people that all versions share, each version
 * has one more person, whose number differs.
 */
export function madeUpList(signal: Signal, version: number): string {
  const header = signal.toLowerCase()
  const dated = signal === 'IP' ? ',2026-01-01T00:00:00Z' : ''
  const keys = bodies.get(signal) ?? bodyOf(signal, dated)
  bodies.set(signal, keys)
  return `${header}${dated && ',timestamp'}\n${keys}${KEYS[signal](PEOPLE + version)}${dated}\n`
}

/** Every list of a signal begins with the same people. */
const bodies = new Map<Signal, string>()

function bodyOf(signal: Signal, dated: string): string {
  return Array.from({ length: PEOPLE - 1 }, (_, person) => `${KEYS[signal](person)}${dated}\n`).join('')
}

/** Makes up the lists that DuckDB would prepare. `version` is called for each list. */
export function standInLists(version: () => number): (real: Lists) => Lists {
  return (real) => ({
    ...real,
    async make({ signal }, place) {
      const file = real.fileOf(place)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const text = preparedList(signal, version())
      await writeFile(file, text)
      return figuresOf(text)
    },
    proveOptOuts: async () => undefined,
  })
}

/** A prepared list has one column. */
function preparedList(signal: FileSignal, version: number): string {
  return madeUpList(signal, version).replaceAll(/,.*$/gm, '')
}

function figuresOf(text: string): ListFigures {
  return {
    rows: PEOPLE,
    keys: PEOPLE,
    duplicates: 0,
    empty: 0,
    bad: 0,
    badShare: 0,
    suppressed: 0,
    bytes: Buffer.byteLength(text),
    sha256: sha256(text),
    normalisation: NORMALISATION,
  }
}

/** The share of a list that is matched. Real lists have about the same share. */
const MATCHED = 0.61

/**
 * Matching that only counts. The jobs of the service take the same time, and nothing is computed. Only the number of
 * people in a list matters, not who they are.
 */
export function standInMatching(): MatchEngine {
  const write = (target: string, people: number) => writeFile(target, JSON.stringify({ people }))
  const peopleIn = async (file: string) => (JSON.parse(await readFile(file, 'utf8')) as { people: number }).people
  return {
    prepare: async () => undefined,
    async buildSegment({ csvFile, target }) {
      const lines = (await readFile(csvFile, 'utf8')).split('\n').filter((line) => line.trim() !== '')
      const rows = Math.max(0, lines.length - 1)
      await write(target, rows)
      return { rows, badRows: 0, keys: rows, members: rows }
    },
    async match({ segmentFile, target }) {
      const matchCount = Math.round((await peopleIn(segmentFile)) * MATCHED)
      await write(target, matchCount)
      return { matchCount }
    },
    async split({ matchFile, target, shaveOffPercent }) {
      const people = await peopleIn(matchFile)
      await write(target, people - Math.round((people * shaveOffPercent) / 100))
    },
    sample: () => Promise.reject(unable()),
    exportSet: () => Promise.reject(unable()),
    close: async () => undefined,
  }
}

function unable(): AudienceError {
  return failedError('nobody-here', 'a simulation has no people')
}
