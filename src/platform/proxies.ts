import { BlockList, isIP } from 'node:net'
import { AudienceError } from '../core/errors.ts'
import { hostOf } from '../core/host-pattern.ts'
import { tried } from '../core/tried.ts'

/** The proxies that the environment names, as written there. */
export interface Proxies {
  readonly http: string
  readonly https: string
  /** The hosts that are reached without a proxy. */
  readonly except: string
}

/** The proxy for one target. */
export interface ProxyRoute {
  /** The URL, with user and password if it has them. */
  readonly url: URL
  /** The name in messages: the address without user and password, and the variable that has it. */
  readonly shown: string
}

/** The variables that name proxies. The upper-case variable counts if the lower-case one is not set. */
const VARIABLES = { http: 'http_proxy', https: 'https_proxy', except: 'no_proxy' } as const

/** All of these variables, in upper and lower case. Documents never read them, because they can contain a password. */
export const PROXY_VARIABLES: readonly string[] = Object.values(VARIABLES).flatMap((name) => [name, name.toUpperCase()])

export function proxiesIn(env: Readonly<Record<string, string | undefined>>): Proxies {
  const read = (name: string) => (env[name] ?? env[name.toUpperCase()] ?? '').trim()
  return { http: read(VARIABLES.http), https: read(VARIABLES.https), except: read(VARIABLES.except) }
}

/**
 * The proxy for a URL; undefined if it is reached without one. A proxy on another machine would take a loopback address
 * for its own, so only a proxy on this machine is used for such an address. Throws `invalid-proxy`, without the
 * password in it.
 */
export function proxyFor(target: URL, { http, https, except }: Proxies): ProxyRoute | undefined {
  const isTls = target.protocol === 'https:'
  const text = isTls ? https : http
  if (text === '' || isExcepted(target, except)) return undefined
  const name = (isTls ? VARIABLES.https : VARIABLES.http).toUpperCase()
  const url = parseProxy(text, name)
  if (isLoopback(hostOf(target)) && !isLoopback(hostOf(url))) return undefined
  return { url, shown: `the proxy ${url.protocol}//${url.host} of ${name}` }
}

/**
 * The parts of a proxy's address that no output may show: its password and the user name next to it, as written and as
 * sent.
 */
export function proxySecrets(text: string): string[] {
  const [, written] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/@:]*:([^/@]+)@/i.exec(text) ?? []
  const { username = '', password = '' } = URL.parse(withScheme(text)) ?? {}
  const parts = password === '' ? [] : [password, `${username}:${password}`]
  if (written !== undefined) parts.push(written)
  return parts.flatMap((part) => [part, tried(() => decodeURIComponent(part)) ?? part])
}

function parseProxy(text: string, name: string): URL {
  const url = URL.parse(withScheme(text))
  const isUsable = url && /^https?:$/.test(url.protocol) && url.hostname !== ''
  if (isUsable && [url.username, url.password].every(isDecodable)) return url
  throw new AudienceError({
    code: 'invalid-proxy',
    kind: 'invalid',
    message: `the proxy in ${name} cannot be used`,
    hint: `set ${name} to an address such as http://proxy.example.com:3128, or give the profile \`proxy: none\``,
  })
}

/** Many people write `proxy:3128`. */
function withScheme(text: string): string {
  return text.includes('://') ? text : `http://${text}`
}

function isExcepted(target: URL, except: string): boolean {
  const host = hostOf(target)
  const port = target.port || (target.protocol === 'https:' ? '443' : '80')
  return except.split(/[\s,]+/).some((entry) => entry !== '' && covers(entry.toLowerCase(), host, port))
}

/**
 * Whether an entry covers a host. An entry is `*`, a name with all names below it, an address or a network
 * (`10.0.0.0/8`), each with or without a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  const [, name = '', ofPort] = /^(\[[^\]]*\]|[^:]*|[\da-f:.]*:[\da-f:.]*:[\da-f:./]*)(?::(\d+))?$/.exec(entry) ?? []
  if (ofPort !== undefined && ofPort !== port) return false
  if (name === '*') return true
  const plain = name
    .replace(/^\[|\]$/g, '')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  const address = host.replace(/^\[|\]$/g, '')
  if (plain.includes('/')) return isInNetwork(address, plain)
  if (isIP(address) !== 0) return isSameAddress(address, plain)
  return (host === plain && !name.startsWith('*')) || (plain !== '' && host.endsWith(`.${plain}`))
}

function isSameAddress(address: string, other: string): boolean {
  return isIP(other) !== 0 && isInNetwork(address, `${other}/${isIP(other) === 6 ? 128 : 32}`)
}

function isInNetwork(address: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/')
  const family = isIP(base) === 6 ? 'ipv6' : 'ipv4'
  const length = Number(bits)
  const isNetwork = isIP(base) !== 0 && /^\d+$/.test(bits) && length <= (family === 'ipv6' ? 128 : 32)
  if (!isNetwork || isIP(address) === 0) return false
  const list = new BlockList()
  list.addSubnet(base, length, family)
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function isLoopback(host: string): boolean {
  const isName = host === 'localhost' || host.endsWith('.localhost')
  return isName || host === '[::1]' || isInNetwork(host, '127.0.0.0/8')
}

function isDecodable(text: string): boolean {
  return tried(() => decodeURIComponent(text)) !== undefined
}
