import { BlockList, isIP } from 'node:net'

/** The addresses where cloud machines get their own credentials; none of them is a web hook. */
const METADATA = {
  ipv4: ['100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ipv6: ['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42'],
} as const
const LINK_LOCAL = '169.254.0.0'

const forbidden = new BlockList()
forbidden.addSubnet(LINK_LOCAL, 16, 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
for (const address of METADATA.ipv4) forbidden.addAddress(address, 'ipv4')
for (const address of METADATA.ipv6) forbidden.addAddress(address, 'ipv6')
// IPv4 inside IPv6: translated (NAT64), 6to4, and the old compatible form. The list handles mapped addresses itself.
for (const [network, bits] of [[LINK_LOCAL, 16] as const, ...METADATA.ipv4.map((one) => [one, 32] as const)]) {
  const [high = '', low = ''] = halvesOf(network)
  forbidden.addSubnet(`64:ff9b::${high}:${low}`, 96 + bits, 'ipv6')
  forbidden.addSubnet(`::${high}:${low}`, 96 + bits, 'ipv6')
  forbidden.addSubnet(`2002:${high}:${low}::`, 16 + bits, 'ipv6')
}

/** Whether an IP address, in any notation, is link-local or one where a cloud gives out credentials. */
export function isForbiddenAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const version = isIP(plain)
  return version !== 0 && forbidden.check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

function halvesOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}
