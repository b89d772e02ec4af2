import { createHash } from 'node:crypto'
import type { Doubt } from './list-error.ts'
import type { ListPage, ListRow } from './list-page.ts'

/** The result of adding a page to a reading. */
export interface PageTaken {
  readonly rows: readonly ListRow[]
  /** How many of its items were on no earlier page of this reading. */
  readonly fresh: number
  /** Set if no page follows: the list had at most this many items at that moment. */
  readonly length: number | undefined
}

/** One reading of a list, from its first page on: its pages, its end, and the reasons to doubt it. */
export class ListReading {
  readonly #order = createHash('sha256')
  readonly #seen = new Set<string>()
  /** Whether pages had the size that was asked for, another size, or both. */
  readonly #sizes = new Set<'asked' | 'other'>()
  #last: { readonly page: ListPage; readonly isFull: boolean } | undefined
  #mostRows = 0
  /** The maximum number of rows that a page can have. */
  #width = 0
  /** What the service last said about the whole list. */
  #total = 0
  #hasRepeats = false
  #hasEnded = false

  /** Records a page. Returns undefined if it is not the page that was requested. */
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

  /** True if the last page did not say that more follow. In that case, the next page is read only to make sure. */
  get isAtEnd(): boolean {
    return this.#last !== undefined && this.#last.page.says !== 'more'
  }

  /**
   * A hash of the rows and their order, whatever the page sizes; undefined if the reading contradicts itself. If an
   * item was in two rows, another item may be missing: the order is not total, or the list changed.
   */
  get order(): string | undefined {
    if (this.#hasRepeats || this.isMixed || this.#total > this.#seen.size) return undefined
    return this.#order.copy().digest('base64')
  }

  /** The likely reason if the reading proves nothing. */
  get doubt(): Doubt {
    const shown = this.#seen.size
    if (this.#total > shown) return { why: 'total', total: this.#total, shown }
    return { why: this.#hasRepeats ? 'repeats' : 'changes' }
  }

  /** If a service returns pages of the size asked for, a page of another size is an old answer to another request. */
  get isMixed(): boolean {
    return this.#sizes.size > 1
  }

  /**
   * Whether the reading cannot be judged yet: a page had another size, and only the end of a reading shows whether the
   * service uses its own page sizes.
   */
  get isOpen(): boolean {
    return this.#sizes.has('other') && !this.#hasEnded
  }

  /**
   * Whether a page without new items is past the end of the list. Past the end, some services show their last page
   * again, and services without paging show the whole list again.
   */
  #isBeyond(page: ListPage): boolean {
    if (!this.#last || !this.isAtEnd || page.says === 'more' || page.rows.length === 0) return false
    if (page.shown.page !== undefined) return isOther(page)
    // If a full page repeats, the service may never show more than that.
    const { page: last, isFull } = this.#last
    const isSame = page.rows.length === last.rows.length && page.rows.every(({ key }, at) => key === last.rows[at]?.key)
    return isSame && page.asked.page === 1 && !isFull
  }

  /**
   * Whether another page may follow. One may follow a full page, even if that page says otherwise, and a page that says
   * nothing.
   */
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

  /**
   * Whether a page size that the service states is its own page size. Some services state the number of rows instead,
   * and some state too small a number.
   */
  #names(size = 0, { length, says }: { length: number; says: ListPage['says'] }): boolean {
    if (length === 0) return size >= this.#mostRows && size > 0
    return size > length || (size === length && says === 'more')
  }

  /**
   * An upper bound for the number of items in the list. A single page shows the list at one moment. If there are
   * several pages, each page except the last has at most `width` rows.
   */
  #length({ asked }: ListPage, rows: number): number {
    return Math.max(asked.page === 0 ? this.#seen.size : asked.page * this.#width + rows, this.#total)
  }
}

function isOther({ asked, shown }: ListPage): boolean {
  return shown.page !== undefined && shown.page !== asked.page
}
