/**
 * How much is dropped from the end of a cut text. The cut may leave part of a secret, too short to be recognised: fewer
 * than `SHORTEST_STRETCH` characters, each written in up to twenty.
 */
const UNSURE = 250

/** The beginning of a text from outside, without anything that `clean` removes, not even a part of it. */
export function cleanBeginning(text: string, most: number, clean: (text: string) => string): string {
  return text.length <= most ? clean(text) : clean(text.slice(0, most)).slice(0, -UNSURE)
}
