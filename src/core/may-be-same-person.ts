import { foldedName } from './folded-name.ts'

/**
 * Whether two names may be those of one person. Case, blanks, invisible characters and the Unicode form make no
 * difference. The command line knows `ann` where a proxy knows `ann@example.com`: a name without a domain is that of
 * any domain. So this only serves to keep somebody out, never to let somebody in.
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
