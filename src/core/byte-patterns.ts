/**
 * Finds many strings in one text: Aho and Corasick, 1975. Its time is linear in the length of the text, however many
 * strings it looks for.
 */
export interface BytePatterns {
  /** Calls back with the start and the end of the longest pattern that ends at each position. */
  find(bytes: string, found: (from: number, to: number) => void): void
}

/** `patterns` have one character per byte. */
export function bytePatterns(patterns: readonly string[]): BytePatterns {
  const children: Map<number, number>[] = [new Map()]
  const longest: number[] = [0]
  for (const pattern of patterns) {
    let state = 0
    for (let at = 0; at < pattern.length; at++) {
      const byte = pattern.charCodeAt(at)
      let next = children[state]?.get(byte)
      if (next === undefined) {
        next = children.length
        children[state]?.set(byte, next)
        children.push(new Map())
        longest.push(0)
      }
      state = next
    }
    longest[state] = pattern.length
  }
  const fallbacks = new Int32Array(children.length)
  const fromStart = new Int32Array(256)
  for (const [byte, state] of children[0] ?? []) fromStart[byte] = state

  function next(state: number, byte: number): number {
    let at = state
    while (at !== 0) {
      const child = children[at]?.get(byte)
      if (child !== undefined) return child
      at = fallbacks[at] ?? 0
    }
    return fromStart[byte] ?? 0
  }

  // Goes breadth first, because each state needs its fallback, which is shorter.
  const queue = [...(children[0]?.values() ?? [])]
  for (const state of queue) {
    for (const [byte, child] of children[state] ?? []) {
      const fallback = next(fallbacks[state] ?? 0, byte)
      fallbacks[child] = fallback
      longest[child] = longest[child] || longest[fallback] || 0
      queue.push(child)
    }
  }

  return {
    find(bytes, found) {
      let state = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes.charCodeAt(at)
        state = state === 0 ? (fromStart[byte] as number) : next(state, byte)
        if (state === 0) continue
        const size = longest[state] as number
        if (size > 0) found(at + 1 - size, at + 1)
      }
    },
  }
}
