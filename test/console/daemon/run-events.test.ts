import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kill } from '../../support/daemon.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { DOCUMENTS } from '../documents.ts'
import { type ConsoleBench, sessionOf, startConsoleBench, TOKENS } from '../support/console-bench.ts'
import { follow, type Seen } from '../support/follow-stream.ts'

const program = { authorization: `Bearer ${TOKENS.viewer}` }
const told = (events: readonly Seen[]) => events.filter(({ name }) => name !== 'beat').map(({ data }) => data)
const names = (events: readonly Seen[]) => events.map(({ name }) => name)

/** The streams of single runs; `open` starts a console with DOCUMENTS. */
function runEventsSuite(open: () => Promise<ConsoleBench>): void {
  let console: ConsoleBench
  beforeAll(async () => {
    console = await open()
  })
  afterAll(() => console?.stop())

  const logged = async (runId: string) => (await console.as('viewer', `runs/${runId}/logs`)).body.events
  const start = async () => String((await console.post('operator', 'runs', { pipeline: 'ask' })).body.runId)
  const decide = async (runId: string, step: string) =>
    (await console.post('approver', `runs/${runId}/decisions`, { step, decision: 'approved', reason: 'fine' })).status
  const path = (runId: string) => `runs/${runId}/events?follow`
  /** One stream at each worker. */
  const followAll = (runId: string, headers: Record<string, string> = program) =>
    Promise.all(console.urls.map((url) => follow({ url }, headers, path(runId))))

  test('the stream of a run has its events as they come, at each worker, and ends with the run', async () => {
    const runId = await start()
    const streams = await followAll(runId)
    for (const { response } of streams) expect(response.headers['content-type']).toBe('text/event-stream')
    for (const step of ['first', 'second']) {
      const waits = ({ data }: Seen) => data.event === 'step.waiting' && data.step === step
      await expect.poll(() => streams.every(({ seen }) => seen.some(waits))).toBe(true)
      expect(await decide(runId, step)).toBe(200)
    }
    await Promise.all(streams.map(({ ended }) => ended))
    const all = await logged(runId)
    for (const { seen, response } of streams) {
      expect(response.complete).toBe(true)
      expect(told(seen)).toEqual(all)
      expect(names(seen)).toEqual(seen.map(({ data }) => data.event))
      expect(seen.at(-1)).toMatchObject({ name: 'run.finished', data: { status: 'succeeded' } })
    }
  })

  test('who connects again with the last id gets what comes after it, and of an ended run in the end nothing', async () => {
    const runId = await start()
    const read = (headers: Record<string, string> = {}, query = '') =>
      follow(console, { ...program, ...headers }, `runs/${runId}/events${query}`)
    const waiting = async () => (await read()).ended.then(() => logged(runId)).then((all) => (all as object[]).length)
    await expect.poll(waiting).toBe(3)
    const before = await read()
    await before.ended
    expect(before.response.complete).toBe(true)
    const [begun, , last] = before.seen
    await console.command('runs', 'cancel', runId)
    const rest = await read({ 'last-event-id': String(last?.id) }, '?follow')
    await rest.ended
    expect([...told(before.seen), ...told(rest.seen)]).toEqual(await logged(runId))
    // The position in the header is later than the one in the client's URL.
    const both = await read({ 'last-event-id': String(last?.id) }, `?follow=true&after=${begun?.id}`)
    await both.ended
    expect(both.seen).toEqual(rest.seen)
    const after = await read({}, `?after=${last?.id}`)
    await after.ended
    expect(after.seen).toEqual(rest.seen)
    const over = await read({ 'last-event-id': String(rest.seen.at(-1)?.id) }, '?follow')
    expect(over.status).toBe(204)
  })

  test('a stream is refused where looking at the run is, and ends with the session', async () => {
    const runId = await start()
    const refusal = async (headers: Record<string, string>, of = path(runId)) => {
      const { status, response } = await follow(console, headers, of).catch((error) => ({
        status: error,
        response: undefined,
      }))
      response?.destroy()
      return status
    }
    expect(await refusal({})).toBe(401)
    const session = await sessionOf(console)
    expect(await refusal({ ...session, 'sec-fetch-site': 'cross-site' })).toBe(403)
    const asked = (rest: string) => console.as('viewer', `runs/${rest}`)
    expect((await asked('nothing/events?follow')).body.code).toBe('unknown-run')
    expect((await asked(`${runId}/events?follow=later`)).body).toMatchObject({ code: 'bad-request', fields: {} })
    expect((await asked(`${runId}/events?since=1`)).status).toBe(400)
    const headers = { 'last-event-id': 'x' }
    expect((await console.as('viewer', path(runId), { headers })).body.code).toBe('bad-request')
    const streams = await followAll(runId, session)
    await expect.poll(() => streams.every(({ seen }) => seen.length > 0)).toBe(true)
    expect((await console.browse('logout', { method: 'POST', json: { everywhere: true } })).status).toBe(200)
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams.map(({ response }) => response.complete)).toEqual(streams.map(() => false))
  })
}

describe('one console', () => {
  runEventsSuite(() => startConsoleBench(DOCUMENTS))
})

describeWithPostgres('two workers of one database', () => {
  runEventsSuite(() => startConsoleBench(DOCUMENTS, { workers: 2 }))

  test('when one worker is killed, its stream goes on at the other, without a gap and without a repeat', async () => {
    const console = await startConsoleBench(DOCUMENTS, { workers: 2 })
    try {
      const [here = '', there = ''] = console.urls
      const runId = String((await console.post('operator', 'runs', { pipeline: 'ask' })).body.runId)
      const first = await follow({ url: here }, program, `runs/${runId}/events?follow`)
      await expect.poll(() => names(first.seen)).toContain('step.waiting')
      await kill(console.daemon)
      await first.ended
      const id = String(first.seen.at(-1)?.id)
      const second = await follow({ url: there }, { ...program, 'last-event-id': id }, `runs/${runId}/events?follow`)
      await console.command('runs', 'cancel', runId)
      await second.ended
      const lines = (await console.command('runs', 'logs', runId, '--json')).out.trim().split('\n')
      expect([...told(first.seen), ...told(second.seen)]).toEqual(lines.map((line) => JSON.parse(line)))
      expect(second.seen.at(-1)).toMatchObject({ name: 'run.finished', data: { status: 'cancelled' } })
    } finally {
      await console.stop()
    }
  })
})
