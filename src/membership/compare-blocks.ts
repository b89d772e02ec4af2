import { HIGH, LOW } from './fingerprints.ts'

/** How a list differs from an earlier one. */
export interface Changes {
  readonly added: number
  readonly removed: number
  readonly kept: number
}

/** Pairs of 32-bit numbers in ascending order, in blocks. */
export type Blocks = AsyncIterable<Uint32Array> | Iterable<Uint32Array>

/** Counts what two sorted sets of fingerprints have in common. Reads each once, and keeps a block of each in memory. */
export async function compareBlocks(before: Blocks, after: Blocks): Promise<Changes> {
  await using old = new Cursor(before)
  await using young = new Cursor(after)
  let added = 0
  let removed = 0
  let kept = 0
  while ((await old.fill()) && (await young.fill())) {
    let a = old.at
    let b = young.at
    const first = old.block
    const second = young.block
    while (a < first.length && b < second.length) {
      const order = compare(first, a, second, b)
      if (order === 0) kept += 1
      else if (order < 0) removed += 1
      else added += 1
      if (order <= 0) a += 2
      if (order >= 0) b += 2
    }
    old.at = a
    young.at = b
  }
  return { added: added + (await young.rest()), removed: removed + (await old.rest()), kept }
}

function compare(first: Uint32Array, a: number, second: Uint32Array, b: number): number {
  const high = (first[a + HIGH] ?? 0) - (second[b + HIGH] ?? 0)
  return high === 0 ? (first[a + LOW] ?? 0) - (second[b + LOW] ?? 0) : high
}

/** A position in a sequence of blocks. */
class Cursor {
  readonly #blocks: AsyncIterator<Uint32Array> | Iterator<Uint32Array>
  block: Uint32Array = new Uint32Array()
  at = 0

  constructor(blocks: Blocks) {
    this.#blocks = Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]()
  }

  /** Whether there is a number at the position; reads the next block if this one is used up. */
  async fill(): Promise<boolean> {
    while (this.at >= this.block.length) {
      const next = await this.#blocks.next()
      if (next.done) return false
      this.block = next.value
      this.at = 0
    }
    return true
  }

  /** How many numbers are left. */
  async rest(): Promise<number> {
    let rest = 0
    while (await this.fill()) {
      rest += (this.block.length - this.at) / 2
      this.at = this.block.length
    }
    return rest
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#blocks.return?.()
  }
}
