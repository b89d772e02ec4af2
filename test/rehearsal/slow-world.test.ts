import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createAgent } from '../../src/adapter/agent.ts'
import { exchange, type WireRequest } from '../../src/adapter/exchange.ts'
import { WorldNetwork } from '../../src/rehearsal/network.ts'
import { VirtualTime } from '../../src/rehearsal/virtual-time.ts'

/* The time limits of an answer follow the clock of its world: the speed of the machine does not matter. */

/** On the machine's clock, this passes immediately; on the world's clock, an exchange takes only a few milliseconds. */
const SHORT_MS = 20

/** Sends a request to a server in a world whose time advances by at most `mostMs`. */
async function ask(answer: RequestListener, mostMs = Number.POSITIVE_INFINITY) {
  const time = new VirtualTime(0)
  const clock = time.clock()
  const network = new WorldNetwork(createServer(answer), clock, () => true)
  const limits = { connectTimeoutMs: SHORT_MS, headersTimeoutMs: SHORT_MS, bodyTimeoutMs: SHORT_MS }
  const agent = createAgent({ ...limits, clock, connect: network.connect })
  onTestFinished(() => agent.destroy())
  const request = {
    method: 'GET',
    origin: 'http://audience.test',
    target: '/',
    headers: [],
    body: null,
  } satisfies WireRequest
  let isOver = false
  const asked = exchange(agent, request, { maxResponseBytes: 1_000, answerTimeoutMs: 1_000_000, signal: undefined })
  const over = () => {
    isOver = true
  }
  asked.then(over, over)
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    time.next(mostMs)
  }
  return { ...(await asked.catch((error: unknown) => ({ error }))), at: time.now() }
}

/** By the clock of the machine, longer than the limits and the interval at which undici checks them. */
const slowly = (then: () => void) => void setTimeout(then, 2_500)

test('an answer that the machine is slow to give is an answer', async () => {
  const answer: RequestListener = (_, response) => slowly(() => response.end('late'))
  expect(await ask(answer, SHORT_MS - 5)).toMatchObject({ status: 200, text: 'late', flaw: undefined })
})

test('an answer that does not begin in the time of the world is none, as in life', async () => {
  const { at, ...seen } = await ask(() => undefined)
  expect(seen).toMatchObject({
    error: { code: 'UND_ERR_HEADERS_TIMEOUT', sent: true, message: 'Headers Timeout Error' },
  })
  expect(at).toBeGreaterThanOrEqual(SHORT_MS)
})

test('an answer that stays silent in the time of the world is broken off', async () => {
  const { at, ...seen } = await ask((_, response) => void response.write('a'))
  expect(seen).toMatchObject({ status: 200, flaw: 'it broke off' })
  expect(at).toBeGreaterThanOrEqual(SHORT_MS)
})
