import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { createRequestJournal } from '../../../src/service/control/request-journal.ts'
import { exchangeRecorder } from '../../../src/service/http/exchange.ts'

test.each([
  ['the time that the answer took', 40, 40],
  ['no time when the machine’s clock was set back meanwhile', -40, 0],
])('writes down %s', async (_what, passesMs, durationMs) => {
  const time = { ms: 1_000 }
  const sleep = async () => {}
  const journal = createRequestJournal()
  const record = exchangeRecorder({ journal, clock: { now: () => 7, sleep }, wall: { now: () => time.ms, sleep } })
  const app = fastify({ return503OnClosing: false })
  app.decorateRequest('exchange', null)
  app.addHook('onRequest', async (request, reply) => record(request, reply))
  app.get('/slow', async () => {
    time.ms += passesMs
    return 'done'
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  await fetch(`${origin}/slow?secret=1`)
  await app.close()
  expect(journal.list({}, 10)).toMatchObject([{ at: 7, path: '/slow', query: {}, status: 200, durationMs }])
})
