import { describe, expect, test } from 'vitest'
import { maskInIds, maskPersonal } from '../../src/policy/personal-data.ts'

describe('what a text from outside says of people is masked', () => {
  test.each([
    ['bad value alice@example.com.', 'bad value [e-mail]'],
    ['<Alice.O+tag@mail.example.co.uk>', '<[e-mail]>'],
    ['jürgen@bücher.example', '[e-mail]'],
    ['email=alice%40example.com&x', 'email=[e-mail]'],
    ['/x/alice%2540example.com', '[e-mail]'],
    [`/x/${'AB01'.repeat(16)}%20and%20alice@example.com`, '/x/[hash][e-mail]'],
    [`/x/6D92078A-8246-4BA4-AE5B-76104861E7DC%20and%20${'x'.repeat(45)}@example.com`, '/x/[id][e-mail]'],
    ['alice&#64;example.com', '[e-mail]'],
    ['cut off: alice@exam', 'cut off: [e-mail]'],
    ['IDFA 6D92078A-8246-4BA4-AE5B-76104861E7DC', 'IDFA [id]'],
    ['aaid:38400000-8cf0-11bd-b23e-10b96e40000d', 'aaid:[id]'],
    ['6d92078a82464ba4ae5b76104861e7dc', '[hash]'],
    [`hash ${'AB01'.repeat(16)}!`, 'hash [hash]!'],
    ['sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709', 'sha1 [hash]'],
    ['/x/%20203.0.113.7%20and', '/x/%20[ip]%20and'],
    ['from 203.0.113.7:8080', 'from [ip]:8080'],
    ['from 2001:db8::7, not', 'from [ip], not'],
    ['ip:2001:db8:0:0:0:0:0:7.', 'ip:[ip].'],
    ['::ffff:203.0.113.7', '[ip]'],
    ['fe80::1%eth0', '[ip]%eth0'],
  ])('%s', (text, masked) => {
    expect(maskPersonal(text)).toBe(masked)
  })

  test.each([
    'run 20261121t020003-x7f3kq2mzp at 12:30:45 on 2026-11-21T02:00:03Z',
    'segment 9223372036854775807 of participant 1001, version 1.2.3',
    'POST /api/segments/77/match was rejected: 400 partnerId or groupId is required',
    'std::vector, 999.999.999.999, 1.2.3.4.5',
    'colour #aabbcc, commit 04a86e9',
  ])('and the rest stays: %s', (text) => {
    expect(maskPersonal(text)).toBe(text)
  })

  test.each([
    ['ops@example.com', '[e-mail]', 'eve@example.com'],
    ['6d92078a-8246-4ba4-ae5b-76104861e7dc', '[id]', '38400000-8cf0-11bd-b23e-10b96e40000d'],
    ['6d92078a82464ba4ae5b76104861e7dc', '[hash]', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['0a'.repeat(32), '[hash]', 'AB01'.repeat(16)],
    ['203.0.113.7', '[ip]', '203.0.113.8'],
    ['2001:db8::7', '[ip]', '2001:db8::8'],
  ])('what people wrote themselves stays: %s', (own, masked, other) => {
    expect(maskPersonal(`${own}, ${other}`, (found) => found === own)).toBe(`${own}, ${masked}`)
    expect(maskPersonal(`${own}, ${other}`)).toBe(`${masked}, ${masked}`)
  })

  test('an id of a request may be a UUID', () => {
    const id = '6d92078a-8246-4ba4-ae5b-76104861e7dc'
    expect(maskInIds(id)).toBe(id)
    // A word of hexadecimal digits, or a colon, before an address.
    expect(maskInIds('deadbeef:2001:db8::1')).toBe('deadbeef:[ip]')
    expect(maskInIds('at :2001:db8::1.')).toBe('at :[ip].')
    expect(maskInIds(`alice@example.com-${'0a'.repeat(32)}`)).toBe('[e-mail][hash]')
  })

  test.each(['a', '0', '@', '0:', '1.', '%40', 'a@'])('a long text of %j takes no long time', (part) => {
    // Processor time, because a busy machine gives this process little of it.
    const start = process.cpuUsage()
    maskPersonal(part.repeat(4000))
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
  })
})
