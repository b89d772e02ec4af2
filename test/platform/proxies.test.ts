import { expect, test } from 'vitest'
import { createSecrets } from '../../src/core/secrets.ts'
import { proxiesIn, proxyFor, proxySecrets } from '../../src/platform/proxies.ts'

const PROXY = { HTTP_PROXY: 'http://plain.test:3128', HTTPS_PROXY: 'http://tls.test:3129' }

function routed(target: string, env: Record<string, string>): string | undefined {
  return proxyFor(new URL(target), proxiesIn(env))?.url.host
}

test.each([
  ['http://a.test', PROXY, 'plain.test:3128'],
  ['https://a.test', PROXY, 'tls.test:3129'],
  ['https://a.test', { HTTP_PROXY: 'http://plain.test:3128' }, undefined],
  ['http://a.test', { HTTPS_PROXY: 'http://tls.test:3129' }, undefined],
  ['http://a.test', { ...PROXY, http_proxy: 'http://lower.test:1' }, 'lower.test:1'],
  ['http://a.test', { ...PROXY, http_proxy: '' }, undefined],
  ['http://a.test', { HTTP_PROXY: 'plain.test:3128' }, 'plain.test:3128'],
  ['http://a.test', { HTTP_PROXY: ' https://plain.test ' }, 'plain.test'],
  ['http://a.test', {}, undefined],
  // A proxy on another machine would use its own address; one on this machine may be used.
  ['http://127.0.0.1:8080', PROXY, undefined],
  ['http://127.5.5.5:8080', PROXY, undefined],
  ['http://localhost:8080', PROXY, undefined],
  ['http://api.localhost:8080', PROXY, undefined],
  ['https://[::1]:8080', PROXY, undefined],
  ['http://127.0.0.1:8080', { HTTP_PROXY: 'http://localhost:3128' }, 'localhost:3128'],
  ['http://localhost:8080', { HTTP_PROXY: 'http://127.0.0.1:3128' }, '127.0.0.1:3128'],
])('%s with %j goes through %s', (target, env, host) => {
  expect(routed(target, env)).toBe(host)
})

test.each([
  ['http://a.test', 'a.test'],
  ['http://a.test', 'b.test, a.test'],
  ['http://a.test', 'b.test a.test'],
  ['http://A.Test.', 'a.test'],
  ['http://a.test', 'A.TEST.'],
  ['http://x.a.test', 'a.test'],
  ['http://x.a.test', '.a.test'],
  ['http://a.test', '.a.test'],
  ['http://x.y.a.test', '*.a.test'],
  ['http://a.test:8080', 'a.test:8080'],
  ['http://a.test', 'a.test:80'],
  ['https://a.test', 'a.test:443'],
  ['http://a.test', '*'],
  ['http://a.test', 'b.test,*'],
  ['http://a.test', '*:80'],
  ['http://10.1.2.3', '10.1.2.3'],
  ['http://10.1.2.3:99', '10.1.2.3:99'],
  ['http://10.1.2.3', '10.0.0.0/8'],
  ['http://[fd00::7]', 'fd00::7'],
  ['http://[fd00::7]', '[fd00::7]'],
  ['http://[fd00::7]:99', '[fd00::7]:99'],
  ['http://[fd00::7]', 'fd00::/8'],
])('%s goes straight where NO_PROXY is %j', (target, except) => {
  expect(routed(target, { ...PROXY, NO_PROXY: except })).toBeUndefined()
  expect(routed(target, { ...PROXY, no_proxy: except })).toBeUndefined()
})

test.each([
  ['http://a.test', ''],
  ['http://a.test', 'b.test'],
  ['http://xa.test', 'a.test'],
  ['http://a.test', 'x.a.test'],
  ['http://a.test', '*.a.test'],
  ['http://a.test:8080', 'a.test:80'],
  ['http://a.test', '*:443'],
  ['http://11.1.2.3', '10.0.0.0/8'],
  ['http://10.1.2.3', '.3'],
  ['http://10.1.2.3', '2.3'],
  ['http://10.1.2.3', '10.0.0.0/99'],
  ['http://[fd00::7]', 'fd00::8'],
  ['http://a.test', ', ,'],
])('%s goes through the proxy where NO_PROXY is %j', (target, except) => {
  expect(routed(target, { ...PROXY, NO_PROXY: except })).toBe('plain.test:3128')
})

test.each(['socks5://p.test:1080', 'ftp://p.test', 'http://', 'http://u:%zz@p.test', '://', 'http://p.test:99999'])(
  'a proxy like %j is an error that names its variable, and not its content',
  (text) => {
    const error = expect(() => routed('http://a.test', { HTTP_PROXY: text }))
    error.toThrow(expect.objectContaining({ code: 'invalid-proxy', message: 'the proxy in HTTP_PROXY cannot be used' }))
  },
)

test('user and password of a proxy are secrets, in every form', () => {
  const secrets = createSecrets()
  const proxies = proxiesIn({ HTTPS_PROXY: 'http://jo:p%40ss-w0rd@p.test:3128', http_proxy: 'us3r:s3cret!@p.test' })
  for (const text of [proxies.http, proxies.https]) for (const secret of proxySecrets(text)) secrets.add(secret)
  const basic = Buffer.from('jo:p@ss-w0rd').toString('base64')
  const said = `http://jo:p%40ss-w0rd@p.test p@ss-w0rd ${basic} s3cret!`
  expect(secrets.redact(said)).not.toMatch(/p%40ss|p@ss|s3cret|anA6/)
  expect(proxyFor(new URL('https://a.test'), proxies)?.shown).toBe('the proxy http://p.test:3128 of HTTPS_PROXY')
})
