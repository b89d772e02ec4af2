import { type HostPattern, hostOf, hostUrl, isListedHost } from '../../core/host-pattern.ts'

/**
 * Whether a request names a host that this server answers for: a loopback name, a listed host, or the address at which
 * the request came in. If the name of a web page was made to resolve to this server (DNS rebinding), the browser still
 * sends the name of the page.
 */
export function isKnownHost(
  host: string | undefined,
  known: { listed: readonly HostPattern[]; localAddress: string | undefined },
): boolean {
  const url = host === undefined ? undefined : hostUrl(host)
  if (!url) return false
  return isLoopback(hostOf(url)) || isListedHost(url, known.listed) || hostOf(url) === addressHost(known.localAddress)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/** The address of a socket, as the host of a URL. */
function addressHost(address = ''): string | undefined {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')
  const url = hostUrl(plain.includes(':') ? `[${plain}]` : plain)
  return url && hostOf(url)
}
