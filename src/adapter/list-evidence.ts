import { createHash, type Hash } from 'node:crypto'
import { type JsonObject, stringifyJson } from '../core/json.ts'
import { sha256 } from '../core/sha256.ts'

/** An answered page: its rows, whether more pages follow, and the page size that the service names. */
export interface ListPage {
  readonly number: number
  readonly items: readonly JsonObject[]
  readonly hasMore: boolean
  readonly pageSize: number | undefined
}

/** The moment at which the last page of a reading was answered. */
interface End {
  readonly at: number
  /** How many items the list had at that moment, at the most. */
  readonly length: number
  /** How many items are known to have been in the list at that moment. */
  known: number
}

interface Reading {
  readonly startedAt: number
  readonly fingerprint: Hash
  /** The most rows that a page can have: the size that the service names, or what it gives if that is more. */
  width: number
}

/** How many readings must be alike where the rows of a list cannot be counted. */
const ALIKE = 3

/**
 * What the pages read so far prove of a list that anybody may change between two requests (decision 152).
 *
 * Its last page gives the length of the list at that moment. An item that was seen before that moment, or then, and is
 * seen then or later, was in the list at that moment. Once as many such items are known as the list had, they are the
 * whole list of that moment, whatever was inserted, deleted or moved between the requests. So an item that was there all
 * the time was seen. This relies on one thing: an item that leaves the list does not come back while it is read.
 */
export class ListEvidence {
  readonly #id: string
  readonly #askedSize: number
  /** The last request that showed an item. */
  readonly #seenAt = new Map<string | number | bigint, number>()
  readonly #ends: End[] = []
  readonly #readings: string[] = []
  #requests = 0
  #reading: Reading = readingFrom(0)

  constructor({ id, pageSize }: { readonly id: string; readonly pageSize: number }) {
    this.#id = id
    this.#askedSize = pageSize
  }

  /** How many different items were seen. */
  get seen(): number {
    return this.#seenAt.size
  }

  /** The items of a page that no page had before, and how many are new in this reading, which begins with page 0. */
  add(page: ListPage): { readonly unseen: readonly JsonObject[]; readonly fresh: number } {
    const at = this.#requests
    if (page.number === 0) this.#reading = readingFrom(at)
    const reading = this.#reading
    const unseen: JsonObject[] = []
    let distinct = 0
    let fresh = 0
    for (const item of page.items) {
      const key = keyOf(item, this.#id)
      reading.fingerprint.update(`${key}\n`)
      const before = this.#seenAt.get(key)
      if (before === at) continue
      this.#seenAt.set(key, at)
      distinct += 1
      if (before === undefined) unseen.push(item)
      else for (const end of this.#ends) if (before < end.at) end.known += 1
      if (before === undefined || before < reading.startedAt) fresh += 1
    }
    this.#requests += 1
    reading.fingerprint.update('page\n')
    reading.width = Math.max(reading.width, page.pageSize ?? this.#askedSize, page.items.length)
    if (!page.hasMore) {
      // One page is the list of one moment. Of several, those before the last have `width` rows at the most.
      const length = page.number === 0 ? distinct : page.number * reading.width + page.items.length
      this.#ends.push({ at, length, known: distinct })
      this.#readings.push(reading.fingerprint.digest('base64'))
    }
    return { unseen, fresh }
  }

  /**
   * Whether everything was seen that was in the list from the first request on. If the service shows an item twice, or
   * leaves gaps in its pages, the items never make up the length: then three readings in a row have to be alike in every
   * row.
   */
  isProof(): boolean {
    if (this.#ends.some(({ known, length }) => known === length)) return true
    const last = this.#readings.slice(-ALIKE)
    return last.length === ALIKE && new Set(last).size === 1
  }
}

function readingFrom(startedAt: number): Reading {
  return { startedAt, fingerprint: createHash('sha256'), width: 0 }
}

/** An item without an id is told from others by its content. */
function keyOf(item: JsonObject, id: string): string | number | bigint {
  const value = item[id]
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value
  return sha256(stringifyJson(item))
}
