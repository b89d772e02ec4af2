/**
 * Compares strings by their characters, as CEL does. JavaScript compares UTF-16 units, in which a character beyond
 * U+FFFF comes before U+E000.
 */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

/** The halves of a surrogate pair come after every unit that is a character by itself. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
