/** Objects that the garbage collector must not collect. */
const kept = new Set<object>()

/**
 * Keeps an open file to which nothing refers until the returned function is called: the garbage collector would close
 * it.
 */
export function keep(thing: object): () => void {
  kept.add(thing)
  return () => void kept.delete(thing)
}
