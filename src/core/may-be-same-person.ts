import { foldedName } from './folded-name.ts'

/**
 * Whether two names may belong to one person. Case, blanks, invisible characters and the Unicode form make no
 * difference. The command line knows `ann` where a proxy knows `ann@example.com`, so a name without a domain matches
 * any domain. Use this only to keep somebody out, never to let somebody in.
 */
export function mayBeSamePerson(one: string, other: string): boolean {
  const [first, second] = [foldedName(one), foldedName(other)]
  if (first === second) return true
  const isBare = (name: string) => !name.includes('@')
  return isBare(first) !== isBare(second) && localPart(first) === localPart(second)
}

function localPart(name: string): string {
  const [local = ''] = name.split('@')
  return local
}
