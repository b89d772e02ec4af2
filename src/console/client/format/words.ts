/** `matchCount` → `match count`, `signal_match` → `signal match` */
export function words(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase()
}
