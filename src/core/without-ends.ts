/** Removes some characters from both ends of a text. A regular expression would also scan those inside it. */
export function withoutEnds(text: string, characters: string): string {
  let [start, end] = [0, text.length]
  while (start < end && characters.includes(text.charAt(start))) start += 1
  while (start < end && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
