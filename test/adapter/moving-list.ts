import { ApiError } from '../../src/adapter/api-error.ts'
import type { PageAnswer } from '../../src/adapter/list-items.ts'
import type { JsonObject } from '../../src/core/json.ts'

/** A change that anybody may make to a list between two requests. Places count from the front, modulo its length. */
export type Change =
  | { readonly do: 'insert'; readonly at: number }
  | { readonly do: 'delete'; readonly at: number }
  | { readonly do: 'move'; readonly at: number; readonly to: number }
  | { readonly do: 'swap'; readonly at: number; readonly to: number }
  | { readonly do: 'reverse' }
  | { readonly do: 'rotate'; readonly at: number }

/** How a service cuts a list into pages, whether the contract allows it or not. */
export interface Cut {
  /** The page size: the requested one, or the service's own. */
  readonly size: 'asked' | number
  /**
   * The page size in its answers: the right one, the right one as a string, one that is smaller than its pages, or
   * none.
   */
  readonly named: 'number' | 'string' | 'less' | 'nothing'
  /** The value of `hasMore`. `moreAtEnd`: also true if the list ends with the page. `end`: never true. */
  readonly says: 'truth' | 'moreAtEnd' | 'end' | 'nothing'
  /**
   * The answer for a page that does not exist: an empty page, the last page under its own or the requested number, or
   * an error.
   */
  readonly beyond: 'empty' | 'last' | 'lastAsAsked' | 'refused'
  /**
   * Whether items of equal rank, this many in a row, change places: never, in the same way for the same page and size,
   * or with each request.
   */
  readonly ties: { readonly among: number; readonly how: 'never' | 'alike' | 'anew' }
  /** One in this many items is hidden from the caller and leaves a gap in its page; 0: none is. */
  readonly gapEvery: number
  readonly total: 'none' | 'right' | 'more'
  /** A cache that keeps pages for this many requests, from the first request on, and whether a header shows it. */
  readonly cache:
    | { readonly requests: number; readonly by: 'address' | 'firstPage'; readonly tells: boolean }
    | undefined
}

export const PLAIN_CUT: Cut = {
  size: 'asked',
  named: 'number',
  says: 'truth',
  beyond: 'empty',
  ties: { among: 1, how: 'never' },
  gapEvery: 0,
  total: 'none',
  cache: undefined,
}

export interface Asked {
  readonly page: number
  readonly pageSize: number
}

/**
 * A list of a service. Before it answers a request, it makes the changes that are given for that request. It remembers
 * its content at each request.
 */
export class MovingList {
  /** What it answered. */
  readonly pages: { readonly page: number; readonly ids: readonly string[] }[] = []
  readonly asked: (Asked & { readonly changed: boolean; readonly held: readonly string[] })[] = []
  readonly #cut: Cut
  readonly #changes: readonly (readonly Change[])[]
  readonly #kept = new Map<string, { readonly at: number; readonly value: JsonObject }>()
  /** All items, including the hidden ones. */
  #items: string[]
  #made: number

  constructor(length: number, cut: Cut, changes: readonly (readonly Change[])[]) {
    this.#items = Array.from({ length }, (_, index) => `i${index}`)
    this.#made = length
    this.#cut = cut
    this.#changes = changes
  }

  /** Changes before the first request do not count, because nobody has read yet. */
  read(asked: Asked): PageAnswer {
    const answer = this.#answer(asked)
    const { items } = answer.value as { items: { id: string }[] }
    this.pages.push({ page: asked.page, ids: items.map(({ id }) => id) })
    return answer
  }

  #answer({ page, pageSize }: Asked): PageAnswer {
    const at = this.asked.length
    const changes = this.#changes[at] ?? []
    for (const change of changes) this.#apply(change)
    this.asked.push({ page, pageSize, changed: changes.length > 0, held: this.#items.filter((id) => this.#shows(id)) })
    const { cache } = this.#cut
    if (!cache || (cache.by === 'firstPage' && page !== 0)) return { value: this.#page({ page, pageSize }, at) }
    const address = cache.by === 'firstPage' ? 'first' : `${page} ${pageSize}`
    const kept = this.#kept.get(address)
    if (kept && at - kept.at <= cache.requests) return { value: kept.value, cachedBy: cache.tells ? 'Age' : undefined }
    const value = this.#page({ page, pageSize }, at)
    this.#kept.set(address, { at, value })
    return { value }
  }

  /** The items that existed at every request. */
  get stayed(): readonly string[] {
    const [first, ...later] = this.asked.map(({ held }) => new Set(held))
    return [...(first ?? [])].filter((id) => later.every((held) => held.has(id)))
  }

  #page({ page, pageSize }: Asked, at: number): JsonObject {
    const { size: own, named, says, beyond, total } = this.#cut
    const size = own === 'asked' ? pageSize : own
    const last = Math.max(Math.ceil(this.#items.length / size) - 1, 0)
    if (beyond === 'refused' && page > last)
      throw new ApiError(REQUEST, { code: 'rejected', outcome: 'rejected', status: 400 })
    const shown = beyond.startsWith('last') ? Math.min(page, last) : page
    const rows = this.#ordered({ page: shown, size, at }).slice(shown * size, shown * size + size)
    const rest = this.#items.length - (shown + 1) * size
    const held = this.asked.at(-1)?.held.length ?? 0
    return {
      items: rows.filter((id) => this.#shows(id)).map((id) => ({ id })),
      page: beyond === 'lastAsAsked' ? page : shown,
      pageSize: { number: size, string: String(size), less: 1, nothing: undefined }[named],
      hasMore: {
        truth: rest > 0,
        moreAtEnd: rest > 0 || (rest === 0 && rows.length > 0),
        end: false,
        nothing: undefined,
      }[says],
      total: { none: undefined, right: held, more: held + 1 }[total],
    }
  }

  #shows(id: string): boolean {
    const { gapEvery } = this.#cut
    return gapEvery === 0 || Number(id.slice(1)) % gapEvery > 0
  }

  #ordered({ page, size, at }: { page: number; size: number; at: number }): readonly string[] {
    const { among, how } = this.#cut.ties
    if (how === 'never') return this.#items
    const seed = how === 'alike' ? page * 1009 + size : at * 1013 + 7
    const ranked = this.#items.map((id) => ({
      id,
      rank: (Math.imul(Number(id.slice(1)) * 31 + seed, 0x9e3779b1) >>> 7) % 1021,
    }))
    const groups = Array.from({ length: Math.ceil(ranked.length / among) }, (_, group) =>
      ranked.slice(group * among, (group + 1) * among).sort((a, b) => a.rank - b.rank),
    )
    return groups.flat().map(({ id }) => id)
  }

  #apply(change: Change): void {
    const items = this.#items
    const place = (at: number) => (items.length === 0 ? 0 : at % items.length)
    switch (change.do) {
      case 'insert':
        items.splice(place(change.at), 0, `i${this.#made}`)
        this.#made += 1
        return
      case 'delete':
        items.splice(place(change.at), 1)
        return
      case 'move':
        items.splice(place(change.to), 0, ...items.splice(place(change.at), 1))
        return
      case 'swap': {
        const [a, b] = [place(change.at), place(change.to)]
        const [one, other] = [items[a], items[b]]
        if (one !== undefined && other !== undefined) [items[a], items[b]] = [other, one]
        return
      }
      case 'reverse':
        items.reverse()
        return
      case 'rotate':
        items.push(...items.splice(0, place(change.at)))
    }
  }
}

const REQUEST = { operation: 'things.list', method: 'GET', path: '/things' }
