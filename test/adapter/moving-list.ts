import type { Json } from '../../src/core/json.ts'

/** What anybody may do to a list between two requests. Places count from the front, modulo its length. */
export type Change =
  | { readonly do: 'insert'; readonly at: number }
  | { readonly do: 'delete'; readonly at: number }
  | { readonly do: 'move'; readonly at: number; readonly to: number }
  | { readonly do: 'swap'; readonly at: number; readonly to: number }
  | { readonly do: 'reverse' }
  | { readonly do: 'rotate'; readonly at: number }

/** How a service cuts a list into pages, within the contract or beside it. */
export interface Cut {
  readonly size: number
  /** The page size that it names: its own, as a string too, or less than its pages have. */
  readonly named: 'number' | 'string' | 'less'
  /** `hasMore` is also true where the list ends with the page. */
  readonly endsEmpty: boolean
}

/** A list of a service, which changes before each request as told; what it held at each request can be asked. */
export class MovingList {
  readonly asked: { readonly page: number; readonly changed: boolean; readonly held: readonly string[] }[] = []
  readonly #cut: Cut
  readonly #changes: readonly (readonly Change[])[]
  #items: string[]
  #made: number

  constructor(length: number, cut: Cut, changes: readonly (readonly Change[])[]) {
    this.#items = Array.from({ length }, (_, index) => `i${index}`)
    this.#made = length
    this.#cut = cut
    this.#changes = changes
  }

  /** The changes before the first request do not count: nobody has looked yet. */
  read(page: number): Json {
    const changes = this.#changes[this.asked.length] ?? []
    for (const change of changes) this.#apply(change)
    const { size, named, endsEmpty } = this.#cut
    const from = page * size
    this.asked.push({ page, changed: changes.length > 0, held: [...this.#items] })
    return {
      items: this.#items.slice(from, from + size).map((id) => ({ id })),
      page,
      pageSize: { number: size, string: String(size), less: 1 }[named],
      hasMore: this.#items.length - from > size || (endsEmpty && this.#items.length - from === size),
    }
  }

  /** What was there at every request. */
  get stayed(): readonly string[] {
    const [first, ...later] = this.asked
    return (first?.held ?? []).filter((id) => later.every(({ held }) => held.includes(id)))
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
