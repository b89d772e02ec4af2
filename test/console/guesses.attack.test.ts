import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGuesses } from '../../src/console/server/guesses.ts'

/** Tries a secret; `right` says which one is right. Returns the status of the answer. */
function lab() {
  let now = 0
  const guesses = createGuesses(() => now)
  let noted = 0
  return {
    noted: () => noted,
    pass: (ms: number) => {
      now += ms
    },
    attempt(address: string, secret: string): 200 | 401 | 429 {
      try {
        guesses.check(address, secret)
      } catch {
        return 429
      }
      if (secret === 'right') {
        guesses.wasRight(address, secret)
        return 200
      }
      if (guesses.wasWrong(address, secret)) noted += 1
      return 401
    },
  }
}

test('after ten different wrong secrets an address waits for up to ten minutes, even with the right one', () => {
  const { attempt, pass, noted } = lab()
  const statuses = Array.from({ length: 300 }, (_, index) => attempt('10.0.0.5', `wrong ${index}`))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(attempt('10.0.0.5', 'right')).toBe(429)
  expect(attempt('10.0.0.6', 'right')).toBe(200)
  expect(noted()).toBe(2)
  pass(10 * 60_000)
  expect(attempt('10.0.0.5', 'right')).toBe(200)
})

test('a program that had the right one goes on, and one that repeats a wrong one guesses once', () => {
  const { attempt, pass } = lab()
  for (let time = 0; time < 50; time += 1) expect(attempt('127.0.0.1', 'old token')).toBe(401)
  expect(attempt('127.0.0.1', 'right')).toBe(200)
  for (let index = 0; index < 20; index += 1) attempt('127.0.0.1', `wrong ${index}`)
  expect(attempt('127.0.0.1', 'right')).toBe(200)
  pass(10 * 60_000)
  for (let index = 0; index < 20; index += 1) attempt('127.0.0.1', `wrong ${index}`)
  expect(attempt('127.0.0.1', 'right')).toBe(200)
})

test.each([
  ['loopback addresses', '127.8.9.1', '127.0.0.1', true],
  ['both loopbacks', '::1', '127.0.0.1', true],
  ['one IPv6 network', '2001:db8:1:2::5', '2001:db8:1:2:ffff::1', true],
  ['an IPv6 network in other letters and zeros', '2001:DB8:1:2::5', '2001:db8:0001:2::6', true],
  ['an IPv4 address inside an IPv6 one', '::ffff:10.0.0.1', '10.0.0.1', true],
  ['two IPv4 addresses inside IPv6 ones', '::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  ['a loopback address inside an IPv6 one', '::ffff:127.0.0.9', '::1', true],
  ['an IPv6 address with a zone', 'fe80::1%eth0', 'fe80::2', true],
  ['two IPv6 networks', '2001:db8:1:2::5', '2001:db8:1:3::5', false],
  ['two IPv4 addresses', '10.0.0.1', '10.0.0.2', false],
])('%s are one place: %s, %s', (_name, one, other, isOne) => {
  const { attempt } = lab()
  for (let index = 0; index < 10; index += 1) attempt(one, `wrong ${index}`)
  expect(attempt(other, 'another')).toBe(isOne ? 429 : 401)
})

test('many addresses get no further than five thousand guesses, and cannot fill the audit log', () => {
  const { attempt, pass, noted } = lab()
  expect(attempt('192.0.2.1', 'right')).toBe(200)
  let letThrough = 0
  for (let index = 0; index < 20_000; index += 1)
    if (attempt(`2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`, `wrong ${index}`) === 401)
      letThrough += 1
  expect(letThrough).toBe(5000)
  expect(noted()).toBeLessThanOrEqual(201)
  // Now nobody may guess. Callers who had the right secret can continue, and an attacker with another address learns
  // nothing.
  expect(attempt('198.51.100.7', 'right')).toBe(429)
  expect(attempt('192.0.2.1', 'right')).toBe(200)
  pass(10 * 60_000)
  expect(attempt('198.51.100.7', 'right')).toBe(200)
})

test('no number of other addresses lets an address guess anew, or takes from a program that it was right', () => {
  const { attempt } = lab()
  expect(attempt('10.0.0.5', 'right')).toBe(200)
  for (let index = 0; index < 10; index += 1) attempt('10.0.0.5', `wrong ${index}`)
  for (let index = 0; index < 20_000; index += 1) attempt(`2001:db8:${index.toString(16)}::1`, 'x')
  expect([attempt('10.0.0.5', 'another'), attempt('10.0.0.5', 'right')]).toEqual([429, 200])
})

test('law: in any ten minutes an address tries at most twenty secrets', () => {
  const step = fc.record({ secret: fc.nat(60), waitMs: fc.nat(60_000) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const { attempt, pass } = lab()
      let now = 0
      const tried: { at: number; secret: number }[] = []
      for (const { secret, waitMs } of steps) {
        pass(waitMs)
        now += waitMs
        if (attempt('10.0.0.5', `wrong ${secret}`) === 401) tried.push({ at: now, secret })
      }
      for (const { at } of tried) {
        const within = tried.filter((other) => other.at >= at && other.at < at + 10 * 60_000)
        expect(new Set(within.map(({ secret }) => secret)).size).toBeLessThanOrEqual(20)
      }
    }),
  )
})
