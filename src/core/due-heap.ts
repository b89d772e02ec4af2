/** An item with a time. The heap stores its position in the item. */
export interface Due {
  dueAt: number
  /** Its position in the heap; undefined while it is not in a heap. */
  place: number | undefined
}

/** Items ordered by time, the earliest first. Adding and removing an item take logarithmic time. */
export class DueHeap<Item extends Due> {
  readonly #items: Item[] = []

  get first(): Item | undefined {
    return this.#items[0]
  }

  add(item: Item): void {
    this.#rise(item, this.#items.length)
  }

  /** Does nothing if the item is not in the heap. */
  remove(item: Item): void {
    const { place } = item
    if (place === undefined) return
    item.place = undefined
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#sink(last, place)
    if (last.place === place) this.#rise(last, place)
  }

  /** Removes all. */
  drain(): Item[] {
    const items = this.#items.splice(0)
    for (const item of items) item.place = undefined
    return items
  }

  #rise(item: Item, from: number): void {
    let place = from
    while (place > 0) {
      const parentPlace = (place - 1) >> 1
      const parent = this.#items[parentPlace]
      if (!parent || parent.dueAt <= item.dueAt) break
      this.#put(parent, place)
      place = parentPlace
    }
    this.#put(item, place)
  }

  #sink(item: Item, from: number): void {
    let place = from
    for (;;) {
      const left = this.#items[2 * place + 1]
      const right = this.#items[2 * place + 2]
      const child = left && right && right.dueAt < left.dueAt ? right : left
      if (child?.place === undefined || child.dueAt >= item.dueAt) break
      const childPlace = child.place
      this.#put(child, place)
      place = childPlace
    }
    this.#put(item, place)
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    item.place = place
  }
}
