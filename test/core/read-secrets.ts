import { SHORTEST_SECRET, SHORTEST_STRETCH } from '../../src/core/hidden-texts.ts'
import { ENCODINGS, joined } from './secret-encodings.ts'

const common = (text: string) => joined(text).toLowerCase()

/**
 * The parts of these secrets that a reader of a text finds: all of a short one, or twelve consecutive characters of a
 * longer one.
 */
export function findsOf(telling: readonly string[]): (read: string) => string | undefined {
  const wholes = new Set<string>()
  const stretches = new Set<string>()
  for (const text of telling.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]).map(common)) {
    const signs = [...text]
    if (signs.length < SHORTEST_SECRET) continue
    if (signs.length < SHORTEST_STRETCH) wholes.add(text)
    for (let at = 0; at + SHORTEST_STRETCH <= signs.length; at++)
      stretches.add(signs.slice(at, at + SHORTEST_STRETCH).join(''))
  }
  const lengths = [...new Set([...stretches].map(({ length }) => length))]
  return (read) => {
    const text = common(read)
    for (const whole of wholes) if (text.includes(whole)) return whole
    for (const length of lengths)
      for (let at = 0; at + length <= text.length; at++) {
        const stretch = text.slice(at, at + length)
        if (stretches.has(stretch)) return stretch
      }
    return undefined
  }
}

/**
 * Removes an escape that was cut in two, because the first character of such an escape may look like a character of the
 * secret.
 */
export function withoutHalfEscape(text: string): string {
  return text.replace(/(?:&#?[0-9a-z]*|%[0-9a-f]?|\\(?:u[0-9a-f]{0,3})?)$/i, '')
}

/** A text decoded from an encoding, even if a cut has damaged it. */
export function readings(text: string, name: string): readonly string[] {
  const { decode } = ENCODINGS.find((encoding) => encoding.name === name)!
  const tried = (part: string) => {
    try {
      return [decode(part)]
    } catch {
      return []
    }
  }
  if (name.startsWith('base64'))
    return [...text.matchAll(/[\w+/-]{8,}/g)].flatMap(([run]) =>
      [0, 1, 2, 3].flatMap((phase) => tried(run.slice(phase))),
    )
  if (!/JSON|XXXX/.test(name)) return tried(text)
  // Decodes each part between masks, without an escape that was cut.
  return text.split('***').flatMap((part) => {
    const whole = part.replace(/^[0-9a-f]{0,3}(?=\\u)/i, '').replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
    return [...tried(whole), ...tried(whole.replace(/(?<!\\)"/g, '\\"'))]
  })
}
