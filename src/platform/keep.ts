/** Objects that the garbage collector must not collect. */
const kept = new Set<object>()

/**
 * Keeps a file open until the returned function is called: if nothing referred to the file, the garbage collector would
 * close it.
 */
export function keep(thing: object): () => void {
  kept.add(thing)
  return () => void kept.delete(thing)
}
