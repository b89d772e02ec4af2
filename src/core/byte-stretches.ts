/**
 * Finds stretches of strings in another string. Its time is linear in the length of that string, however many strings
 * it looks for.
 */
export interface ByteStretches {
  /**
   * Calls back with the start and the end of each part that consists of stretches. Each part is as long as possible.
   */
  find(bytes: string, found: (from: number, to: number) => void): void
}

/** Indexes each sequence of `size` characters of the texts by its rolling hash (Karp and Rabin, 1987). */
export function byteStretches(texts: readonly string[], size: number): ByteStretches {
  const long = texts.filter(({ length }) => length >= size)
  const all = long.join('')
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * all.length + 2)))
  const mask = slots.length - 1
  const first = power(size)

  function isAt(place: number, bytes: string, from: number): boolean {
    for (let at = 0; at < size; at++) if (all.charCodeAt(place + at) !== bytes.charCodeAt(from + at)) return false
    return true
  }

  /** The slot that holds these characters, or the free slot for them. */
  function slotOf(hash: number, bytes: string, from: number): number {
    let slot = Math.imul(hash, SPREAD) & mask
    for (let place = slots[slot]; place !== 0; place = slots[slot]) {
      if (isAt((place as number) - 1, bytes, from)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  /** Calls back for each sequence of `size` characters, with its hash and where it begins. */
  function roll(bytes: string, from: number, to: number, each: (hash: number, from: number) => void): void {
    let hash = 0
    for (let at = from; at < to; at++) {
      if (at >= from + size) hash -= Math.imul(bytes.charCodeAt(at - size) + 1, first)
      hash = (Math.imul(hash, BASE) + bytes.charCodeAt(at) + 1) | 0
      if (at >= from + size - 1) each(hash, at + 1 - size)
    }
  }

  let begin = 0
  for (const { length } of long) {
    roll(all, begin, begin + length, (hash, from) => {
      slots[slotOf(hash, all, from)] = from + 1
    })
    begin += length
  }

  return {
    find(bytes, found) {
      if (long.length === 0) return
      let start = 0
      let end = -1
      roll(bytes, 0, bytes.length, (hash, from) => {
        if (slots[slotOf(hash, bytes, from)] === 0) return
        if (from > end) {
          if (end >= 0) found(start, end)
          start = from
        }
        end = from + size
      })
      if (end >= 0) found(start, end)
    },
  }
}

const BASE = 0x01000193
const SPREAD = 0x9e3779b1

function power(exponent: number): number {
  let result = 1
  for (let left = exponent - 1; left > 0; left--) result = Math.imul(result, BASE)
  return result
}
