import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileSignal, Signal } from '../../contract/enumerations.ts'
import { type ListFigures, NORMALISATION } from '../../lists/list-request.ts'
import type { Lists } from '../../lists/lists.ts'

/** How many people a made-up list has. */
const PEOPLE = 5_200

/** One key of each signal, of a person who does not exist. */
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

/** A list of made-up people: a header, then one key per line. Each version has one more person, with another number. */
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
    ...{ rows: PEOPLE, keys: PEOPLE, duplicates: 0, empty: 0, bad: 0, badShare: 0, suppressed: 0 },
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
    normalisation: NORMALISATION,
  }
}
