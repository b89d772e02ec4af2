/** Numbers from 0 (inclusive) to 1 (exclusive), always the same for a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    // A linear congruential generator; its upper bits are good enough for choosing moments.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
