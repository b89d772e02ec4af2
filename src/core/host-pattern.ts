/**
 * A host in a list of a configuration: one name or address. With `*.`, it matches every name below that name. With a
 * port, it matches only that port.
 */
export interface HostPattern {
  /** In the form that `hostOf` returns. */
  readonly name: string
  readonly isBelow: boolean
  readonly port?: string
}

const WILDCARD = '*.'

/** Reads `*.example.com`, `hooks.example.com:8443`, `10.0.0.1` or `[::1]:8080`; undefined for anything else. */
export function readHostPattern(text: string): HostPattern | undefined {
  const isBelow = text.startsWith(WILDCARD)
  const authority = isBelow ? text.slice(WILDCARD.length) : text
  const url = authority.includes('*') ? undefined : hostUrl(authority)
  if (!url || (isBelow && isAddress(hostOf(url)))) return undefined
  const port = /:(\d+)$/.exec(authority)?.[1]
  return { name: hostOf(url), isBelow, port: port && String(Number(port)) }
}

/** Whether the host of a URL is in the list. */
export function isListedHost(url: URL, patterns: readonly HostPattern[]): boolean {
  const host = hostOf(url)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return patterns.some(
    (pattern) =>
      (pattern.isBelow ? host.endsWith(`.${pattern.name}`) : host === pattern.name) &&
      (pattern.port === undefined || pattern.port === port),
  )
}

/**
 * The normalised host of a URL: lower case, in ASCII (`xn--…`). IPv4 addresses of any form become four decimal numbers,
 * IPv6 addresses are in brackets, and a trailing dot is removed.
 */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '')
}

/** Parses a URL that is only a host and an optional port, as in a Host header; undefined for any other text. */
export function hostUrl(authority: string): URL | undefined {
  const url = URL.parse(`http://${authority}`)
  return url && url.href === `${url.protocol}//${url.host}/` && !/[\s/?#@\\]/.test(authority) ? url : undefined
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}$/.test(host)
}
