/**
 * The end of a cut text that is not used. A secret may be cut there too, and what is left of it may be too little to be known: less
 * than `SHORTEST_STRETCH` characters, each written in up to twenty.
 */
const UNSURE = 250

/** The beginning of a text from outside without what `clean` removes, and without any half of that. */
export function cleanBeginning(text: string, most: number, clean: (text: string) => string): string {
  return text.length <= most ? clean(text) : clean(text.slice(0, most)).slice(0, -UNSURE)
}
