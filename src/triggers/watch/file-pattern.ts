/**
 * A test of file names against a pattern: `*` matches any characters, `?` one character, `[a-z]` one of a set, `[!a-z]`
 * one outside the set, `{csv,tsv}` one of several. Case matters. Hidden files match no pattern.
 */
export function filePattern(pattern: string): (name: string) => boolean {
  const expression = new RegExp(`^(?:${sourceOf(pattern)})$`, 'su')
  return (name) => !name.startsWith('.') && expression.test(name)
}

const TOKEN = /\[(!?)([^\]]+)\]|\{([^{}]*)\}|./gsu

function sourceOf(pattern: string): string {
  return pattern.replace(TOKEN, (token, not: string | undefined, set?: string, choices?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[\]&~|{}()]/g, '\\$&')}]`
    if (choices !== undefined) return `(?:${choices.split(',').map(sourceOf).join('|')})`
    if (token === '*') return '.*'
    if (token === '?') return '.'
    return token.replace(/[\\^$.*+?()[\]{}|/]/u, '\\$&')
  })
}
