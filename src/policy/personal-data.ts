import { isIPv6 } from 'node:net'

const AT = String.raw`(?:@|%(?:25)*40|&#0*64;|&#x0*40;|&commat;|\\u0040)`
/**
 * Anything around an @: half an address in text that was cut is masked, too. This pattern comes last, because it
 * matches parts of other patterns.
 */
const EMAIL = new RegExp(String.raw`[^\s<>()[\]{}"',;:|=\\]{1,64}${AT}[^\s<>()[\]{}"',;|=\\]{0,255}`, 'giu')
/** Each pattern starts at the beginning of a word. In a URL, that may be after an escape such as %20. */
const UUID =
  /(?:(?<![0-9a-z])|(?<=%[0-9a-f]{2}))[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/giu
/** SHA-256 and longer. */
const HASH = /(?:(?<![0-9a-z])|(?<=%[0-9a-f]{2}))[0-9a-f]{64,}(?![0-9a-z])/giu
/** Device ids without dashes, MD5 and SHA-1. */
const SHORT_HASH = /(?:(?<![0-9a-z])|(?<=%[0-9a-f]{2}))(?:[0-9a-f]{32}|[0-9a-f]{40})(?![0-9a-z])/giu
const IPV4 =
  /(?:(?<![\d.])|(?<=%[0-9a-f]{2}))(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d]|\.\d)/giu
/** Text that may contain an IPv6 address, perhaps with a name and a colon before it. */
const COLONS = /(?:(?<![0-9a-z])|(?<=%[0-9a-f]{2}))[0-9a-f]{0,4}:[0-9a-f:.]{1,60}(?![0-9a-z])/giu

/**
 * Masks e-mail addresses, device ids, IP addresses and hashes of these in text from outside. Anything that people wrote
 * themselves stays; `isOwn` decides what that is. Mask text before it is cut, so that no partial value remains.
 */
export function maskPersonal(text: string, isOwn: (found: string) => boolean = () => false): string {
  const mask = (name: string) => (found: string) => (isOwn(found) ? found : `[${name}]`)
  return maskInIds(text.replace(UUID, mask('id')).replace(SHORT_HASH, mask('hash')), isOwn)
}

/** The same for an id of a request, which may be a UUID: a UUID must stay readable. */
export function maskInIds(text: string, isOwn: (found: string) => boolean = () => false): string {
  const mask = (name: string) => (found: string) => (isOwn(found) ? found : `[${name}]`)
  return text
    .replace(HASH, mask('hash'))
    .replace(COLONS, (run) => {
      const found = ipv6In(run)
      return found === undefined ? run : run.replace(found, mask('ip')(found))
    })
    .replace(IPV4, mask('ip'))
    .replace(EMAIL, mask('e-mail'))
}

function ipv6In(run: string): string | undefined {
  const rest = run.slice(run.indexOf(':') + 1)
  const candidates = [run, run.replace(/[:.]+$/, ''), rest, rest.replace(/[:.]+$/, '')]
  return candidates.find((candidate) => candidate !== '::' && isIPv6(candidate))
}
