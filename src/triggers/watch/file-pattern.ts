/**
 * What matches a file name: `*` any characters, `?` one, `[a-z]` one of a set, `[!a-z]` one that is not, `{csv,tsv}` one
 * of several. Upper and lower case differ. Hidden files match no pattern.
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
