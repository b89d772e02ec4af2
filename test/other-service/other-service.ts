import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { bodyOf } from '../support/body-of.ts'
import { crowd } from './crowd.ts'
import { parseExact, writeExact } from './exact-json.ts'
import { type Fields, Holdings } from './holdings.ts'
import { invalid, Refusal } from './refusal.ts'
import type { Answer } from './request.ts'
import { type Route, routeOf, routesOf } from './routes.ts'
import { type Loss, PLAIN_WAYS, type Substitute, type Ways } from './ways.ts'

const TOKEN = 'a-token-of-the-other-service'
const VENDOR = 'application/vnd.service.v1+json'
/** The number of spaces that an answer with the ending `drip` sends before it ends. */
const DRIPS = 5
const ANY_ACCEPT = ['segments.delete', 'matches.delete', 'activations.delete']

/** A request that the service handled, by operation. */
interface Taken {
  readonly operation: string
  readonly status: number
}

export interface OtherService {
  readonly url: string
  readonly token: string
  readonly holdings: Holdings
  /** Every request that it understood, in order, with its answer. */
  readonly taken: readonly Taken[]
  lose(loss: Loss): void
  /** Cancels all planned losses of answers. */
  forgive(): void
  /** Acts as another client would, right after the next answer to an operation and before any other request. */
  afterNext(operation: string, act: () => void): void
  /** From now on, each answer to this operation waits for the promise. */
  delay(operation: string, until: () => Promise<unknown>): void
  close(): Promise<void>
}

/**
 * An Audience Data Service written from the contract alone, in memory, for one participant. Its `ways` say how it
 * differs from others, within the contract. Its time is `now`, in milliseconds.
 */
export async function startOtherService(options: {
  readonly ways?: Partial<Ways>
  readonly now: () => number
  /** A name that activations of other participants also have. */
  readonly activationName?: string
}): Promise<OtherService> {
  const ways = { ...PLAIN_WAYS, ...options.ways }
  const holdings = new Holdings(ways, options.now)
  crowd(holdings, ways.crowd, options.activationName ?? '')
  const routes = routesOf(ways)
  const taken: Taken[] = []
  const losses: { loss: Loss; times: number }[] = []
  const delays = new Map<string, () => Promise<unknown>>()
  const acts: { readonly operation: string; readonly act: () => void }[] = []

  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    if (!body) return
    const found = understand(incoming, routes)
    const rule = losses.find(({ loss, times }) => times > 0 && loss.operation === found?.route.id)
    if (rule) rule.times -= 1
    const how = rule?.loss.how
    if (how === 'resetBefore') return void incoming.socket.resetAndDestroy()
    if (how === 'errorBefore') return void outgoing.writeHead(500).end()
    if (typeof how === 'object' && how.when === 'before') return substitute(incoming.socket, how, undefined)
    const delay = found && delays.get(found.route.id)
    const answer = await answerTo(incoming, body, found, { holdings, ways })
    taken.push({ operation: found?.route.id ?? 'none', status: answer.status })
    await delay?.()
    const next = acts.findIndex(({ operation }) => operation === found?.route.id)
    if (next !== -1) for (const { act } of acts.splice(next, 1)) act()
    if (how === 'resetAfter') return void incoming.socket.resetAndDestroy()
    if (how === 'errorAfter') return void outgoing.writeHead(500).end()
    if (how === 'htmlAfter') return void outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway')
    if (how === 'emptyAfter') return void outgoing.writeHead(answer.status).end()
    if (typeof how === 'object') return substitute(incoming.socket, how, textOf(answer))
    write(outgoing, answer, ways, how === 'truncatedAfter')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audience/of/1001`,
    token: TOKEN,
    holdings,
    taken,
    lose: (loss) => void losses.push({ loss, times: loss.times ?? 1 }),
    forgive: () => void losses.splice(0),
    afterNext: (operation, act) => void acts.push({ operation, act }),
    delay: (operation, until) => void delays.set(operation, until),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Understood = ReturnType<typeof routeOf>

function understand({ method = '', url = '' }: IncomingMessage, routes: readonly Route[]): Understood {
  const parts = url.replace(/\?.*$/, '').split('/').slice(4)
  return routeOf(routes, method, parts.map(decodeURIComponent))
}

interface Deps {
  readonly holdings: Holdings
  readonly ways: Ways
}

async function answerTo(
  { url = '', headers }: IncomingMessage,
  body: Buffer,
  found: Understood,
  deps: Deps,
): Promise<Answer> {
  try {
    if (!found) throw new Refusal({ status: 404, body: '' })
    const { route, values } = found
    if (headers.authorization !== `Bearer ${TOKEN}`) throw new Refusal({ status: 401, body: '' })
    if (!ANY_ACCEPT.includes(route.id) && headers.accept !== VENDOR) throw new Refusal({ status: 406, body: '' })
    const query = new URL(url, 'http://x').searchParams
    const json = () => objectIn(body, headers['content-type'])
    return await route.answer({ values, query, headers, body, json }, deps.holdings, deps.ways)
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error }
    throw error
  }
}

function objectIn(body: Buffer, contentType: string | undefined): Fields {
  if (body.length === 0) return {}
  if (!contentType?.startsWith('application/json')) throw new Refusal({ status: 415, body: '' })
  const value = parseExact(body.toString())
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('the body is not an object')
  return value as Fields
}

function textOf({ body }: Answer): string {
  return body instanceof Refusal ? body.body : body === undefined ? '' : writeExact(body)
}

/** Node's writer refuses to send what other servers send. */
function substitute(socket: Socket, { bytes, ending }: Substitute, real: string | undefined): void {
  socket.write(bytes(real), () => {
    if (ending === 'reset') return void socket.resetAndDestroy()
    const next = (left: number): void => {
      if (left === 0) return void socket.end()
      socket.write(' ', () => setTimeout(next, 10, left - 1))
    }
    next(ending === 'drip' ? DRIPS : 0)
  })
}

const ENCODERS = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, identity: (data: Buffer) => data }

function write(outgoing: ServerResponse, { status, body }: Answer, ways: Ways, isTruncated: boolean): void {
  const isRefusal = body instanceof Refusal
  const text = textOf({ status, body })
  const encoded = text === '' ? Buffer.alloc(0) : ENCODERS[ways.encoding](Buffer.from(text))
  const type = isRefusal ? 'text/plain' : ways.contentType
  outgoing.writeHead(status, {
    ...(text !== '' && type !== undefined && { 'content-type': type }),
    ...(text !== '' && ways.encoding !== 'identity' && { 'content-encoding': ways.encoding }),
    ...(isTruncated && { 'content-length': encoded.length }),
  })
  if (!isTruncated) return void outgoing.end(encoded)
  outgoing.write(encoded.subarray(0, encoded.length / 2), () => outgoing.socket?.destroy())
}
