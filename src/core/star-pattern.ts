/** Why a text is not a pattern of names with one `*`, as part of a sentence; undefined if it is one. */
export function whyNoStarPattern(pattern: string): string | undefined {
  if (pattern.split('*').length !== 2) return 'it needs exactly one *, which shows the files that belong together'
  if (/[?[\]{}/\\]/.test(pattern)) return 'it must have no folder, and no wildcard except *'
  return undefined
}

/** What the `*` of a pattern stands for in a name, at least one character; undefined if the name does not match. */
export function starOf(pattern: string, name: string): string | undefined {
  const at = pattern.indexOf('*')
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)]
  if (name.length <= before.length + after.length || name.startsWith('.')) return undefined
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  return name.slice(before.length, name.length - after.length)
}
