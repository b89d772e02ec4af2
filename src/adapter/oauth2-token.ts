import type { SteadyClock } from '../core/clock.ts'
import { invalidError } from '../core/errors.ts'
import { isJsonObject } from '../core/json.ts'
import { type Proxies, type ProxyRoute, proxyFor } from '../platform/proxies.ts'
import { createAgent } from './agent.ts'
import { exchange, TransportError, type WireRequest, type WireResponse } from './exchange.ts'
import { PROXY_LOGIN_HINT } from './explain-transport.ts'
import {
  type FreshToken,
  renewableToken,
  sendableToken,
  TOKEN_UNAVAILABLE,
  type TokenProvider,
  tokenError,
} from './tokens.ts'
import { tryParseJson } from './try-parse-json.ts'

export interface OAuth2Settings {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  /** The API that the token is for. Some servers require it. */
  readonly audience?: string
}

const TIMEOUT_MS = 30_000
const MAX_RESPONSE_BYTES = 1_000_000

export interface OAuth2Deps {
  clock: SteadyClock
  proxies?: Proxies | undefined
  /** Called with every token and secret in an answer, including those that are not used, such as `refresh_token`. */
  learn: (secret: string) => void
}

/** Gets tokens with OAuth 2.0 client credentials (RFC 6749 4.4). The client authenticates with HTTP Basic (2.3.1). */
export function oauth2Token(settings: OAuth2Settings, { clock, proxies, learn }: OAuth2Deps): TokenProvider {
  const { tokenUrl, clientId, clientSecret, scope, audience } = settings
  const url = URL.parse(tokenUrl)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw invalidError(
      'invalid-token-url',
      'the OAuth2 token URL cannot be used',
      'set it to an http or https address without credentials in it',
    )
  }
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')
  const request: WireRequest = {
    method: 'POST',
    origin: url.origin,
    target: url.pathname + url.search,
    headers: ['accept', 'application/json', 'content-type', FORM_TYPE, 'authorization', `Basic ${credentials}`],
    body: form.toString(),
  }
  const proxy = proxies && proxyFor(url, proxies)
  return renewableToken(() => fetchToken(request, url.origin, { proxy, clock, learn }), clock)
}

const FORM_TYPE = 'application/x-www-form-urlencoded'

async function fetchToken(
  request: WireRequest,
  server: string,
  { learn, ...by }: Pick<OAuth2Deps, 'clock' | 'learn'> & { proxy: ProxyRoute | undefined },
): Promise<FreshToken> {
  // Each fetch has its own agent, because fetches are hours apart. So nothing has to be closed later.
  const agent = createAgent({
    connectTimeoutMs: TIMEOUT_MS,
    headersTimeoutMs: TIMEOUT_MS,
    bodyTimeoutMs: TIMEOUT_MS,
    ...by,
  })
  try {
    const limits = { maxResponseBytes: MAX_RESPONSE_BYTES, answerTimeoutMs: TIMEOUT_MS }
    const response = await exchange(agent, request, limits)
    for (const secret of secretsIn(response)) learn(secret)
    return tokenIn(response, server)
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    const hint = 'check tokenUrl in the profile and the network'
    throw tokenError(TOKEN_UNAVAILABLE, `the token server ${server} did not answer: ${error.message}`, hint, error)
  } finally {
    await agent.destroy()
  }
}

/** The values in an answer whose names show that they are secret, such as `access_token` and `id_token`. */
function secretsIn({ text }: WireResponse): readonly string[] {
  const body = tryParseJson(text)
  if (!isJsonObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string' && /(token|secret)$/i.test(name) ? value.trim() : [],
  )
}

function tokenIn(response: WireResponse, server: string): FreshToken {
  if (response.byProxy !== undefined) {
    throw tokenError(
      TOKEN_UNAVAILABLE,
      `the token server ${server} did not answer: ${response.byProxy}`,
      PROXY_LOGIN_HINT,
    )
  }
  const body = tryParseJson(response.text)
  if (response.status < 200 || response.status > 299) {
    // Only the error code of RFC 6749 5.2 is shown, because the rest may repeat what was sent.
    const code =
      isJsonObject(body) && typeof body.error === 'string' && /^[a-z_]{1,40}$/.test(body.error) ? body.error : ''
    const message = `the token server ${server} refused: ${response.status} ${code}`.trimEnd()
    const mayPass = response.status >= 500 || response.status === 429
    throw tokenError(
      mayPass ? TOKEN_UNAVAILABLE : 'no-token',
      message,
      'check clientId, clientSecret and scope in the profile',
    )
  }
  if (body === undefined) {
    // This may be the page of a portal or a firewall; the next answer may come from the server itself.
    throw tokenError(TOKEN_UNAVAILABLE, `the token server ${server} sent no JSON`, 'check tokenUrl in the profile')
  }
  if (!isJsonObject(body) || typeof body.access_token !== 'string') {
    throw tokenError('no-token', `the token server ${server} sent no access_token`, 'check tokenUrl in the profile')
  }
  const seconds = Number(body.expires_in)
  return {
    token: sendableToken(body.access_token, `the answer of ${server}`),
    lifetimeMs: seconds > 0 ? seconds * 1000 : undefined,
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2)
}
