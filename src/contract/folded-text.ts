import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * How keys with characters beyond ASCII are folded (decision 155). SQL calls these functions for the few keys that need
 * them (`normalise-key.ts`), so that there is one set of rules.
 */

/**
 * A text in lower case, with letters and digits in their usual width (NFKC). A final sigma is a sigma, and the dot that
 * İ keeps on its i is none, because in capitals they look the same. ß is not ss, and ı is not i: these are other mailboxes.
 */
export function loweredText(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase().replaceAll('\u03c2', '\u03c3').replaceAll('i\u0307', 'i')
  return lower.normalize('NFKC')
}

/** A text in upper case, with letters and digits in their usual width: STRASSE for Straße, and I for each of i, ı and İ. */
export function upperedText(text: string): string {
  const upper = text.normalize('NFKC').toUpperCase().normalize('NFKC')
  return upper.replaceAll('\u0130', 'I').normalize('NFKC')
}

/** A domain as the DNS has it (`xn--bcher-kva.de` for `bücher.de`); undefined if UTS 46 has no such domain. */
export function dnsDomain(domain: string): string | undefined {
  return domainToASCII(domain) || undefined
}

/** An address in lower case as people write it: `ann@bücher.de` for `ann@xn--bcher-kva.de`. Hashes are made of both. */
export function readableEmail(key: string): string {
  const [local = '', domain = ''] = key.split('@')
  return `${local}@${domainToUnicode(domain) || domain}`
}
