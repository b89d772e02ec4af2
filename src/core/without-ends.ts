/** A text without some characters at its ends. Not a regular expression: one would look at each of them inside anew. */
export function withoutEnds(text: string, characters: string): string {
  let [start, end] = [0, text.length]
  while (start < end && characters.includes(text.charAt(start))) start += 1
  while (start < end && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
