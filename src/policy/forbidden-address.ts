import { BlockList, isIP } from 'node:net'

/**
 * Link-local addresses, and addresses where cloud machines get their own credentials. No web hook has such an address.
 */
const forbidden = new BlockList()
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) forbidden.addAddress(address, 'ipv4')
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:42::42'])
  forbidden.addAddress(address, 'ipv6')

/**
 * Whether an IP address, in any notation, is or contains a link-local one or one where a cloud gives out credentials.
 */
export function isForbiddenAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const version = isIP(plain)
  if (version === 4) return forbidden.check(plain, 'ipv4')
  if (version !== 6) return false
  return forbidden.check(plain, 'ipv6') || carriedBy(bytesOf(plain)).some((carried) => forbidden.check(carried, 'ipv4'))
}

/** The IPv4 addresses to which a network may translate or tunnel an IPv6 address. */
function carriedBy(bytes: readonly number[]): string[] {
  const begins = (...prefix: number[]) => prefix.every((byte, at) => bytes[at] === byte)
  const isZero = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0)
  const starts: number[] = []
  const [u, v] = [bytes.slice(8, 10).join(), bytes.slice(10, 12).join()]
  // Compatible (RFC 4291), mapped, and translated (RFC 2765): ::a.b.c.d, ::ffff:a.b.c.d and ::ffff:0:a.b.c.d
  if (isZero(0, 8) && ['0,0:0,0', '0,0:255,255', '255,255:0,0'].includes(`${u}:${v}`)) starts.push(12)
  // NAT64 (RFC 6052): 64:ff9b::a.b.c.d
  if (begins(0, 0x64, 0xff, 0x9b) && isZero(4, 12)) starts.push(12)
  // ISATAP (RFC 5214): the end of an address of any network.
  if (['0,0', '2,0'].includes(u) && v === '94,254') starts.push(12)
  // 6to4 (RFC 3056): 2002:AABB:CCDD::
  if (begins(0x20, 0x02)) starts.push(2)
  const found = starts.map((start) => bytes.slice(start, start + 4))
  // Teredo (RFC 4380) has the IPv4 address inverted at its end.
  if (begins(0x20, 0x01, 0, 0)) found.push(bytes.slice(12).map((byte) => byte ^ 0xff))
  // A network's own NAT64 (RFC 8215) in 64:ff9b:1::/48, with a prefix of 48, 56, 64 or 96 bits, leaving out byte 8.
  if (begins(0, 0x64, 0xff, 0x9b, 0, 1)) {
    const rest = bytes.filter((_, at) => at !== 8)
    for (const start of [6, 7, 8, 11]) found.push(rest.slice(start, start + 4))
  }
  return found.map((four) => four.join('.'))
}

/** The 16 bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  const [head = [], tail = []] = new URL(`http://[${address}]/`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
}
