import { trimmedText } from '../../contract/visible-text.ts'

/** A typical mistake of people who know the patterns of other programs. The files that they mean do not match. */
export interface PatternMistake {
  /** What is wrong with the pattern: `ends with a blank`. */
  readonly what: string
  readonly repair: string
}

/** The mistake in a pattern that is valid but matches no intended file; undefined if there is none. */
export function patternMistake(pattern: string): PatternMistake | undefined {
  const bare = pattern.replace(TOKENS, 'x')
  const parts = pattern.split(SEVERAL)
  if (pattern.trim() === '') return undefined
  if (trimmedText(pattern) !== pattern)
    return {
      what: 'begins or ends with a blank, or has invisible characters, which names seldom have',
      repair: `write ${JSON.stringify(trimmedText(pattern))}`,
    }
  if (/^\^|\\|^\.\*/.test(bare))
    return {
      what: 'looks like a regular expression, but it is read as a file pattern',
      repair: '* stands for any characters, ? for one: write "*.csv"',
    }
  if (pattern.startsWith('.'))
    return {
      what: 'begins with a dot, and hidden files match no pattern',
      repair: `write ${JSON.stringify(`*${pattern}`)}`,
    }
  if (bare.includes('|') || (parts.length > 1 && parts.every((part) => HAS_ENDING.test(part.replace(TOKENS, 'x')))))
    return {
      what: 'is read as one pattern, but lists several',
      repair: `put the parts that differ in braces, such as ${JSON.stringify(together(pattern.split(/\s*[,;|]\s*|\s+/)))}`,
    }
  if (/[{}[]/.test(bare))
    return {
      what: 'has a brace or bracket without its partner, or braces within braces',
      repair: 'such as "*.{csv,txt}"',
    }
  if (/\{(?:[^{}]*,)?\s|\{[^{}]*\s(?:,[^{}]*)?\}|\{[^{}]*,\s/.test(pattern))
    return {
      what: 'has a blank beside a comma in braces, and the blank would be part of the name',
      repair: `write ${JSON.stringify(pattern.replace(/\{[^{}]*\}/g, (braces) => braces.replace(/\s*([{},])\s*/g, '$1')))}`,
    }
  if (/\.(?:done|reason\.txt|note\.txt)$/.test(pattern))
    return {
      what: 'matches only marker files and notes, and those are never taken',
      repair: 'name the files beside them: "*.csv"',
    }
  return undefined
}

const TOKENS = /\[!?[^\]]+\]|\{[^{}]*\}/g
const SEVERAL = /\s*[,;]\s*(?![^{}]*\})|\s+(?![^{}]*\})/
const HAS_ENDING = /\.[\p{L}\p{N}*?]{1,8}$/u

/** Makes one pattern of several: `*.csv` and `*.txt` become `*.{csv,txt}`. */
function together(parts: readonly string[]): string {
  const split = parts
    .filter((part) => part !== '')
    .map((part) => [part.slice(0, part.lastIndexOf('.')), part.slice(part.lastIndexOf('.') + 1)])
  const [[stem = ''] = []] = split
  if (split.every(([other]) => other === stem)) return `${stem}.{${split.map(([, ending]) => ending).join(',')}}`
  return `{${parts.filter((part) => part !== '').join(',')}}`
}
