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
  'example.com',
  '',
])('not %s', (address) => {
  expect(isForbiddenAddress(address)).toBe(false)
})
