/**
 * How much is dropped from the end of a cut text. The cut may leave a part of a secret that is too short to be
 * recognised: fewer than `SHORTEST_STRETCH` characters, each of which may be encoded as up to twenty characters.
 */
const UNSURE = 250

/** The beginning of a text from outside. It contains nothing that `clean` removes, not even a part. */
export function cleanBeginning(text: string, most: number, clean: (text: string) => string): string {
  return text.length <= most ? clean(text) : clean(text.slice(0, most)).slice(0, -UNSURE)
}
