import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isForbiddenAddress } from '../../src/policy/forbidden-address.ts'

test.each([
  '169.254.0.0',
  '169.254.169.254',
  '169.254.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '64:ff9b::6464:64c8',
  'fe80::1',
  'fe80::1%eth0',
  'febf:ffff::1',
  'fd00:ec2::254',
  'FD00:0EC2:0:0::254',
  '[fe80::1]',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
  '2001:db8::5efe:169.254.169.254',
])('%s', (address) => {
  expect(isForbiddenAddress(address)).toBe(true)
})

test.each([
  '127.0.0.1',
  '10.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '100.100.100.201',
  '::1',
  'fec0::1',
  'fd00:ec2::255',
  '::ffff:10.0.0.1',
  // An IPv4 address at the end does not count after these prefixes.
  '2001:db8:1:1:0:ffff:169.254.169.254',
  '1::169.254.169.254',
  '1::ffff:169.254.169.254',
  '::fffe:169.254.169.254',
  '::1:169.254.169.254',
  '1::ffff:0:169.254.169.254',
  '::fffe:0:169.254.169.254',
  '64:ff9b:0:0:1:0:169.254.169.254',
  '64:ff9b:0:1::169.254.169.254',
  '64:ff9c::169.254.169.254',
  '65:ff9b::169.254.169.254',
  '64:ff9b:2:a9fe:a9:fe00::',
  '64:ff9b:101:a9fe:a9:fe00::',
  '2001:db8::201:5efe:169.254.169.254',
  '2001:db8::1:5efe:169.254.169.254',
  '2001:db8::200:5eff:169.254.169.254',
  '2003:a9fe:a9fe::1',
  '3002:a9fe:a9fe::1',
  '2001:1:7f00:1:0:1:5601:5601',
  '2001:100:7f00:1:0:1:5601:5601',
  '2600:1:2:a9fe:a9:fe00::',
  'example.com',
  '',
])('not %s', (address) => {
  expect(isForbiddenAddress(address)).toBe(false)
})

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

/** The forms of IPv6 addresses that contain an IPv4 address to which some network translates or tunnels them. */
const CARRIERS: Readonly<Record<string, (a: string, b: string, c: string, d: string) => string>> = {
  mapped: (a, b, c, d) => `::ffff:${a}${b}:${c}${d}`,
  compatible: (a, b, c, d) => `::${a}${b}:${c}${d}`,
  'translated (SIIT)': (a, b, c, d) => `::ffff:0:${a}${b}:${c}${d}`,
  NAT64: (a, b, c, d) => `64:ff9b::${a}${b}:${c}${d}`,
  'NAT64 of one’s own, 48 bits': (a, b, c, d) => `64:ff9b:1:${a}${b}:${c}:${d}00::`,
  'NAT64 of one’s own, 56 bits': (a, b, c, d) => `64:ff9b:1:7${a}:${b}:${c}${d}::`,
  'NAT64 of one’s own, 64 bits': (a, b, c, d) => `64:ff9b:1:7:${a}:${b}${c}:${d}00:0`,
  'NAT64 of one’s own, 96 bits': (a, b, c, d) => `64:ff9b:1:7:0:9:${a}${b}:${c}${d}`,
  '6to4': (a, b, c, d) => `2002:${a}${b}:${c}${d}:1::1`,
  ISATAP: (a, b, c, d) => `2001:db8::200:5efe:${a}${b}:${c}${d}`,
  Teredo: (...four) => {
    const [a, b, c, d] = four.map((byte) => hex(Number.parseInt(byte, 16) ^ 0xff))
    return `2001:0:7f00:1:0:1:${a}${b}:${c}${d}`
  },
}

test.each(Object.entries(CARRIERS))('%s: forbidden if and only if what it carries is', (_name, carry) => {
  const byte = fc.integer({ min: 0, max: 255 })
  const linkLocal = fc.tuple(fc.constant(169), fc.constant(254), byte, byte)
  const metadata = fc.constantFrom([100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192])
  const carried = (four: readonly number[]) => {
    const [a = '', b = '', c = '', d = ''] = four.map(hex)
    return carry(a, b, c, d)
  }
  const isSo = (fours: fc.Arbitrary<readonly number[]>, isForbidden: boolean) =>
    fc.assert(
      fc.property(fours, (four) => {
        expect(isForbiddenAddress(carried(four))).toBe(isForbidden)
      }),
    )
  isSo(fc.oneof(linkLocal, metadata), true)
  // None of these looks like another one, at any offset.
  isSo(fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 4, maxLength: 4 }), false)
})
