import { trimmedText } from '../../contract/visible-text.ts'
import { matchParts, namePattern, patternParts } from '../../core/name-pattern.ts'

export interface FilePattern {
  /** Whether a file of this name is taken. */
  matches(name: string): boolean
  /**
   * How the name differs from a name that matches, if people would not notice the difference: upper and lower case, the
   * Unicode form (macOS writes `é` as two characters), blanks at the ends, invisible characters. Empty if the names
   * also differ in other ways.
   */
  unseenDifferences(name: string): readonly string[]
}

/** A pattern of file names (`namePattern`) that also finds the differences that people do not see. */
export function filePattern(pattern: string): FilePattern {
  const matches = namePattern(pattern)
  const plain = patternParts(plainText(pattern))
  return {
    matches,
    unseenDifferences: (name) => {
      const bare = plainText(name)
      if (name.startsWith('.') || !matchParts(plain, bare, inAnyCase)) return []
      const differences = [
        [!matchParts(plain, bare), 'upper and lower case'],
        [[name, pattern].some((text) => text !== text.normalize()), 'the Unicode form of its letters'],
        [[name, pattern].some((text) => text !== trimmedText(text)), 'blanks at its ends, or invisible characters'],
      ] as const
      return differences.flatMap(([isThere, what]) => (isThere ? [what] : []))
    },
  }
}

function plainText(text: string): string {
  return trimmedText(text).normalize()
}

function inAnyCase(character: string): readonly string[] {
  return [character, character.toLowerCase(), character.toUpperCase()]
}
