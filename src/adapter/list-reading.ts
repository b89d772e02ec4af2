import { createHash } from 'node:crypto'
import type { Doubt } from './list-error.ts'
import type { ListPage, ListRow } from './list-page.ts'

/** What a page adds to a reading. */
export interface PageTaken {
  readonly rows: readonly ListRow[]
  /** How many of its items no earlier page of this reading showed. */
  readonly fresh: number
  /** Set if no page follows: how many items the list had at that moment, at the most. */
  readonly length: number | undefined
}

/** One reading of a list from its first page on: its pages, its end, and the evidence against it. */
export class ListReading {
  readonly #order = createHash('sha256')
  readonly #seen = new Set<string>()
  /** Whether pages came in the size that was asked for, and in others. */
  readonly #sizes = new Set<'asked' | 'other'>()
  #last: { readonly page: ListPage; readonly isFull: boolean } | undefined
  #mostRows = 0
  /** The most rows that a page can have. */
  #width = 0
  /** What the service last said about the whole list. */
  #total = 0
  #hasRepeats = false
  #hasEnded = false

  /** Undefined if the page is not the one that was requested. */
  take(page: ListPage): PageTaken | undefined {
    const fresh = new Set(page.rows.map(({ key }) => key)).difference(this.#seen).size
    const isBeyond = fresh === 0 && this.#isBeyond(page)
    if (!isBeyond && isOther(page)) return undefined
    const rows = isBeyond ? [] : page.rows
    const isFull = this.#isFull(page)
    const follows = !isBeyond && this.#follows(page, { isFull, fresh })
    if (!isBeyond) this.#noteSize(page)
    for (const { key } of rows) {
      if (this.#seen.has(key)) this.#hasRepeats = true
      this.#seen.add(key)
      this.#order.update(`${key}\n`)
    }
    this.#last = { page, isFull }
    this.#total = page.total ?? this.#total
    this.#hasEnded = !follows
    return { rows, fresh, length: follows ? undefined : this.#length(page, rows.length) }
  }

  /** Whether the last page did not say that more follow: the next one is read only to make sure. */
  get isAtEnd(): boolean {
    return this.#last !== undefined && this.#last.page.says !== 'more'
  }

  /**
   * The same for readings that showed the same rows in the same order, however these were cut into pages; undefined if
   * the reading contradicts itself. If an item was in two rows, another item may be in none: the order is not total, or
   * the list changed.
   */
  get order(): string | undefined {
    if (this.#hasRepeats || this.isMixed || this.#total > this.#seen.size) return undefined
    return this.#order.copy().digest('base64')
  }

  /** If the reading proves nothing: the likely reason. */
  get doubt(): Doubt {
    const shown = this.#seen.size
    if (this.#total > shown) return { why: 'total', total: this.#total, shown }
    return { why: this.#hasRepeats ? 'repeats' : 'changes' }
  }

  /** If a service gives pages of the size asked for, a page of another size is the answer to an earlier question. */
  get isMixed(): boolean {
    return this.#sizes.size > 1
  }

  /** Only the end of a reading tells whether the service has page sizes of its own. */
  get isOpen(): boolean {
    return this.#sizes.has('other') && !this.#hasEnded
  }

  /**
   * Whether a page without new items means that there is no such page: some services then show their last page again,
   * and some do not know pages.
   */
  #isBeyond(page: ListPage): boolean {
    if (!this.#last || !this.isAtEnd || page.says === 'more' || page.rows.length === 0) return false
    if (page.shown.page !== undefined) return isOther(page)
    // A full page that repeats may be all that this service ever shows.
    const { page: last, isFull } = this.#last
    const isSame = page.rows.length === last.rows.length && page.rows.every(({ key }, at) => key === last.rows[at]?.key)
    return isSame && page.asked.page === 1 && !isFull
  }

  /** A full page may not be the last one, whatever it says. The same holds for a page that says nothing. */
  #follows({ rows, says, total = 0 }: ListPage, { isFull, fresh }: { isFull: boolean; fresh: number }): boolean {
    if (says === 'more') return true
    return rows.length > 0 && (isFull || says === 'nothing' || this.#seen.size + fresh < total)
  }

  #isFull({ asked, shown, rows }: ListPage): boolean {
    return rows.length > 0 && [asked.pageSize, shown.pageSize, this.#mostRows].includes(rows.length)
  }

  #noteSize({ asked, shown, rows, says }: ListPage): void {
    const { length } = rows
    const { pageSize = says === 'nothing' ? 0 : asked.pageSize } = shown
    this.#mostRows = Math.max(this.#mostRows, length)
    this.#width = Math.max(this.#width, pageSize, length)
    if (shown.pageSize === asked.pageSize || length === asked.pageSize) this.#sizes.add('asked')
    else if (length > asked.pageSize || this.#names(shown.pageSize, { length, says })) this.#sizes.add('other')
  }

  /** Some services state how many rows a page has, and some state too few. */
  #names(size = 0, { length, says }: { length: number; says: ListPage['says'] }): boolean {
    if (length === 0) return size >= this.#mostRows && size > 0
    return size > length || (size === length && says === 'more')
  }

  /** A single page is the list of one moment. Of several pages, all but the last have at most `width` rows. */
  #length({ asked }: ListPage, rows: number): number {
    return Math.max(asked.page === 0 ? this.#seen.size : asked.page * this.#width + rows, this.#total)
  }
}

function isOther({ asked, shown }: ListPage): boolean {
  return shown.page !== undefined && shown.page !== asked.page
}
