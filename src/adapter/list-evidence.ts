import type { JsonObject } from '../core/json.ts'
import type { ListReading, PageTaken } from './list-reading.ts'

/** The moment at which the last page of a reading was answered. */
interface End {
  readonly at: number
  /** The list had at most this many items at that moment. */
  readonly length: number
  /** How many items are known to have been in the list at that moment. */
  known: number
}

/** How many equal readings are needed if the number of rows is not certain. */
const ALIKE = 3

/**
 * What the pages that were read so far prove about a list that anybody may change between two requests (decision 152).
 *
 * The last page of a reading gives the length of the list at that moment. An item that was seen both before (or at) and
 * after (or at) that moment was in the list at that moment. When the number of these items equals the length, they are
 * the whole list as it was at that moment. It does not matter what was inserted, deleted or moved between the requests,
 * or in which order the service lists items. So every item that was in the list the whole time was seen. This relies on
 * two things: an item that leaves the list does not come back while the list is being read, and each page shows the
 * list as it is when it is requested.
 */
export class ListEvidence {
  /** The last request that showed an item. */
  readonly #seenAt = new Map<string, number>()
  #ends: End[] = []
  /** The order of the rows in each reading; undefined if the reading contradicts itself. */
  readonly #orders: (string | undefined)[] = []
  #requests = 0

  /** How many different items have been seen. */
  get seen(): number {
    return this.#seenAt.size
  }

  /** Records a page of a reading, and returns the items that no page showed before. */
  add({ rows, length }: PageTaken, reading: ListReading): readonly JsonObject[] {
    const at = this.#requests
    const unseen: JsonObject[] = []
    let distinct = 0
    for (const { key, item } of rows) {
      const before = this.#seenAt.get(key)
      if (before === at) continue
      this.#seenAt.set(key, at)
      distinct += 1
      if (before === undefined) unseen.push(item)
      else for (const end of this.#ends) if (before < end.at) end.known += 1
    }
    this.#requests += 1
    if (length !== undefined) {
      this.#ends.push({ at, length, known: distinct })
      this.#orders.push(reading.order)
    }
    // Some pages of this reading may be older than the recorded ends, so these ends no longer prove anything.
    if (reading.isMixed) this.#ends = []
    return unseen
  }

  /**
   * Whether every item that has been in the list since the first request was seen. If the service leaves gaps in its
   * pages, there are always fewer items than the length says. In that case, three readings in a row must show each item
   * once, in the same order.
   */
  isProof(reading: ListReading): boolean {
    if (reading.isOpen) return false
    if (this.#ends.some(({ known, length }) => known === length)) return true
    const [first, ...more] = this.#orders.slice(-ALIKE)
    return first !== undefined && more.length === ALIKE - 1 && more.every((order) => order === first)
  }
}
