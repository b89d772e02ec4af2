/**
 * An IP address in canonical text (RFC 5952), in lower case; undefined if the text is not an IP address. An IPv4-mapped
 * IPv6 address becomes the IPv4 address. IPv4 addresses may have no leading zeros, and zones are not accepted.
 */
export function canonicalIp(text: string): string | undefined {
  if (IPV4.test(text)) return text
  const groups = ipv6Groups(text)
  if (!groups) return undefined
  const joined = groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
  const mapped = /^0:0:0:0:0:ffff:([^:]+):([^:]+)$/.exec(joined)
  if (mapped?.[1] && mapped[2]) return [...bytesOf(mapped[1]), ...bytesOf(mapped[2])].join('.')
  return shortened(joined)
}

/** A number from 0 to 255 without leading zeros. */
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
export const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

/**
 * The eight groups of an IPv6 address in lower case, as they are written; undefined if the text is not an IPv6 address.
 */
export function ipv6Groups(text: string): string[] | undefined {
  const halves = withoutIpv4Tail(text).split('::')
  if (halves.length > 2) return undefined
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const groups = right
    ? [...left, ...Array<string>(Math.max(1, 8 - left.length - right.length)).fill('0'), ...right]
    : left
  return groups.length === 8 && groups.every((group) => /^[0-9a-f]{1,4}$/.test(group)) ? groups : undefined
}

/** The last 32 bits may be written as an IPv4 address. */
function withoutIpv4Tail(text: string): string {
  const [, head, tail] = /^(.*:)([0-9.]+)$/.exec(text) ?? []
  if (head === undefined || tail === undefined || !IPV4.test(tail)) return text
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number)
  return `${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** The longest run of at least two zero groups becomes `::`; of equally long runs, the first. */
function shortened(joined: string): string {
  for (let length = 8; length >= 2; length--) {
    const run = new RegExp(zeroRun(length))
    if (run.test(joined)) return joined.replace(run, '::')
  }
  return joined
}

export function zeroRun(length: number): string {
  return `(?:^|:)0(?::0){${length - 1}}(?:$|:)`
}

function bytesOf(group: string): [number, number] {
  const number = Number.parseInt(group, 16)
  return [number >> 8, number & 255]
}
