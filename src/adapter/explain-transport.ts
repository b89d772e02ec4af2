import { formatSizeLimit } from '../core/format/figures.ts'

/** Explains a connection error whose own text does not explain it. */
export interface Explanation {
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  /** Whether a proxy refused the request. */
  readonly isByProxy?: boolean
}

const HTTPS = 'begin the base URL with https, or check its port'
const HTTP = 'begin the base URL with http, or check its port'
const OTHER_VERSION = 'give the address of a server or gateway that speaks HTTP/1.1'

/** How undici reports that a proxy answered a plain HTTP request with 407. */
const PROXY_LOGIN = 'Proxy Authentication Required (407)'

export const PROXY_LOGIN_HINT = 'check the user and the password of the proxy in its environment variable'

export function isProxyLogin(message: string): boolean {
  return message === PROXY_LOGIN
}

/** Explains an error, if its own text does not. `data` is what the server sent instead of an answer. */
export function explainTransport(
  { message, code, data }: { message: string; code: string; data: string },
  { origin, via }: { origin: string; via: string | undefined },
): Explanation | undefined {
  const [, status = isProxyLogin(message) ? '407' : undefined] = /^Proxy response \((\d+)\)/.exec(message) ?? []
  if (status !== undefined && via !== undefined) return byProxy(status, via)
  if (code === 'HTTPParserError' || code.startsWith('HPE_')) return byBytes(data)
  // undici reports an assertion error for a status that is not valid (0) or that nobody asked for (101).
  if (code === 'ERR_ASSERTION' || message === 'bad upgrade')
    return { message: 'the answer has an unexpected status, or one that does not exist in HTTP' }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    // An import of node:http would load a second undici whenever a command starts: 20 ms.
    const { maxHeaderSize } = process.getBuiltinModule('node:http')
    return { message: `the header fields of the answer are larger than ${formatSizeLimit(maxHeaderSize)}` }
  }
  const text = `${code} ${message}`
  if (/wrong.version.number|packet.length.too.long|record.layer.failure|http.request/i.test(text)) {
    return { message: 'the server does not speak TLS on this port', hint: HTTP }
  }
  if (/no.application.protocol/i.test(text))
    return { message: 'the server does not speak HTTP/1.1', hint: OTHER_VERSION }
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET'
  // Many servers that expect TLS close a plain connection without an answer.
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

/** Explains the first bytes from a server that does not speak HTTP/1.1. */
function byBytes(data: string): Explanation | undefined {
  // A TLS alert or handshake, then the version.
  const [type, version] = [data.charCodeAt(0), data.charCodeAt(1)]
  if ((type === 21 || type === 22) && version === 3)
    return { message: 'the server speaks TLS on this port', hint: HTTPS }
  // An HTTP/2 server sends a SETTINGS frame first.
  const isHttp2 = data.startsWith('\0\0') && data.charCodeAt(3) === 4
  if (isHttp2 || data.startsWith('HTTP/2')) {
    return { message: 'the server answers in HTTP/2, but this client speaks HTTP/1.1', hint: OTHER_VERSION }
  }
  return undefined
}
