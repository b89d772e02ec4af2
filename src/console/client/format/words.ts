/** Splits a name into words: `matchCount` becomes `match count`, `signal_match` becomes `signal match`. */
export function words(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
