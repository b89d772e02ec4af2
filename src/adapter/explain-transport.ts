/** The meaning of a connection error whose own text does not explain it. */
export interface Explanation {
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  /** A proxy refused it. */
  readonly isByProxy?: boolean
}

const HTTPS = 'begin the base URL with https, or check its port'
const HTTP = 'begin the base URL with http, or check its port'
const OTHER_VERSION = 'give the address of a server or gateway that speaks HTTP/1.1'

/** The answer 407 of a proxy to a request in plain HTTP, as undici reports it. */
const PROXY_LOGIN = 'Proxy Authentication Required (407)'

export const PROXY_LOGIN_HINT = 'check user and password of the proxy in its variable'

export function isProxyLogin(message: string): boolean {
  return message === PROXY_LOGIN
}

/** `data`: what the server sent instead of an answer. */
export function explainTransport(
  { message, code, data }: { readonly message: string; readonly code: string; readonly data: string },
  { origin, via }: { readonly origin: string; readonly via: string | undefined },
): Explanation | undefined {
  const [, status = isProxyLogin(message) ? '407' : undefined] = /^Proxy response \((\d+)\)/.exec(message) ?? []
  if (status !== undefined && via !== undefined) return byProxy(status, via)
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) return byBytes(data)
  // undici asserts valid statuses: 0 is not one, and nobody asked for 101.
  if (code === 'ERR_ASSERTION' || message === 'bad upgrade')
    return { message: 'the answer has a status that nobody asked for, or that HTTP does not have' }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { message: 'the header fields of the answer are larger than 16 kB' }
  const text = `${code} ${message}`
  if (/wrong.version.number|packet.length.too.long|record.layer.failure|http.request/i.test(text)) {
    return { message: 'the server does not speak TLS at this port', hint: HTTP }
  }
  if (/no.application.protocol/i.test(text))
    return { message: 'the server does not speak HTTP/1.1', hint: OTHER_VERSION }
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
  // Many servers that expect TLS end a plain connection without a word.
  if (isClosed && via === undefined && origin.startsWith('http:'))
    return { message, hint: `try again; if the server expects TLS, ${HTTPS}` }
  return undefined
}

function byProxy(status: string, via: string): Explanation {
  const hint =
    status === '407'
      ? PROXY_LOGIN_HINT
      : 'ask the proxy’s operator, name the host in NO_PROXY, or give the profile `proxy: none`'
  return { message: `${via} refuses: ${status}`, hint, isByProxy: true }
}

/** The first bytes of a server that speaks something else. */
function byBytes(data: string): Explanation | undefined {
  // An alert or a handshake of TLS, with its version.
  const [type, version] = [data.charCodeAt(0), data.charCodeAt(1)]
  if ((type === 21 || type === 22) && version === 3)
    return { message: 'the server speaks TLS at this port', hint: HTTPS }
  // SETTINGS, which a server of HTTP/2 sends first.
  const isHttp2 = data.startsWith('\0\0') && data.charCodeAt(3) === 4
  if (isHttp2 || data.startsWith('HTTP/2')) {
    return { message: 'the server answers in HTTP/2, and this client speaks HTTP/1.1', hint: OTHER_VERSION }
  }
  return undefined
}
