/** Objects that the garbage collector must not collect. */
const kept = new Set<object>()

/** Keeps an open file that nobody refers to: the garbage collector would close it. Until the returned function is called. */
export function keep(thing: object): () => void {
  kept.add(thing)
  return () => void kept.delete(thing)
}
