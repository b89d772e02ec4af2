import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { kill } from '../../support/daemon.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { DOCUMENTS } from '../documents.ts'
import {
  type ConsoleBench,
  type SessionHeaders,
  send,
  sessionOf,
  startConsoleBench,
  TOKENS,
} from '../support/console-bench.ts'
import { follow, type Seen } from '../support/follow-stream.ts'

const program = { authorization: `Bearer ${TOKENS.viewer}` }
const statusesOf = (events: readonly Seen[], runId: string) =>
  events.flatMap(({ data }) =>
    (data.runs as { runId: string; status: string }[]).filter((run) => run.runId === runId).map(({ status }) => status),
  )

const ofPage = { 'sec-fetch-site': 'same-origin', 'x-audience-console': '1' }
async function signOut(url: string, session: SessionHeaders, json: object): Promise<number> {
  const headers = { ...session, ...ofPage }
  return (await send(new URL('api/v1/logout', url), { method: 'POST', headers, json })).status
}
async function statusOf(url: string, session: SessionHeaders): Promise<number> {
  return (await send(new URL('api/v1/me', url), { headers: { ...session, ...ofPage } })).status
}

describe('one console', () => {
  let console: ConsoleBench
  const folder = mkdtempSync(join(tmpdir(), 'audience-events-'))

  beforeAll(async () => {
    console = await startConsoleBench(DOCUMENTS, { folder })
  })
  afterAll(async () => {
    await console?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a stream says hello, and what changes: runs, their steps, documents', async () => {
    const [one, other] = [await follow(console, program), await follow(console, program)]
    await expect.poll(() => one.seen[0]?.name).toBe('hello')
    const { body } = await console.post('operator', 'runs', { pipeline: 'ask' })
    const runId = String(body.runId)
    await expect.poll(() => statusesOf(one.named('runs'), runId).at(-1)).toBe('waiting')
    await expect.poll(() => one.named('steps').some(({ data }) => (data.runIds as string[]).includes(runId))).toBe(true)
    // The command does not run in the process of the console.
    await console.command('runs', 'cancel', runId)
    await expect.poll(() => statusesOf(one.named('runs'), runId).at(-1)).toBe('cancelled')
    await expect.poll(() => statusesOf(other.named('runs'), runId).at(-1)).toBe('cancelled')
    const count = [...Object.keys(DOCUMENTS), 'new.yaml'].filter((name) => name.endsWith('.yaml')).length
    writeFileSync(join(folder, 'pipelines/new.yaml'), DOCUMENTS['fails.yaml'].replace('fails', 'new'))
    await expect.poll(() => one.named('pipelines').at(-1)?.data).toEqual({ count })
    const told = one.named('pipelines').length
    writeFileSync(join(folder, 'pipelines/new.yaml'), 'version: 1\nname: new\nsteps: []\nstep: 1\n')
    await expect.poll(() => one.named('pipelines').length).toBeGreaterThan(told)
    const { pipeline } = (await console.as('viewer', 'pipelines/new')).body as { pipeline: object }
    expect(pipeline).toMatchObject({
      problem: { errors: 2, validFrom: expect.any(String), text: expect.stringContaining('step: 1') },
    })
    for (const { response } of [one, other]) response.destroy()
    // Nobody follows the stream now; the next follower finds everything as before.
    const next = await follow(console, program)
    await expect.poll(() => next.seen[0]?.data.instance).toBe(one.seen[0]?.data.instance)
    next.response.destroy()
  })

  test('after a kill and a restart the session holds, and a new stream says that all may have changed', async () => {
    const session = await sessionOf(console)
    const before = await follow(console, { ...session, 'sec-fetch-site': 'same-origin' })
    await expect.poll(() => before.named('hello').length).toBe(1)
    await console.stop()
    await before.ended
    console = await startConsoleBench(DOCUMENTS, { folder, port: Number(new URL(console.url).port) })
    const after = await follow(console, { ...session, 'sec-fetch-site': 'same-origin' })
    await expect.poll(() => after.named('hello').length).toBe(1)
    expect(after.seen[0]?.data.instance).not.toBe(before.seen[0]?.data.instance)
    after.response.destroy()
  })

  test('a stream is only for those who may look, and ends with the session, or when audience start does', async () => {
    const refused = [
      await follow(console, {}),
      await follow(console, { authorization: 'Bearer of-nobody-at-all' }),
      await follow(console, { cookie: (await sessionOf(console)).cookie }),
      await follow(console, { ...(await sessionOf(console)), 'sec-fetch-site': 'cross-site' }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 403])
    const [session, another] = [await sessionOf(console), await sessionOf(console)]
    const own = await follow(console, session)
    expect(await signOut(console.url, session, {})).toBe(200)
    await own.ended
    expect(await Promise.all([session, another].map((each) => statusOf(console.url, each)))).toEqual([401, 200])
    const { entries } = (await console.as('viewer', 'audit?limit=1')).body
    expect(entries).toMatchObject([{ act: 'console.logout', role: 'approver', outcome: 'done' }])
    const { ended } = await follow(console, program)
    console.daemon.kill('SIGTERM')
    await ended
    expect((await console.daemon.ended).code).toBe(0)
  })
})

describeWithPostgres('two workers of one database', () => {
  test('both tell of the steps of a run that people look at; who signs out everywhere is out at both; when one is killed, the console of the other goes on', async () => {
    const console = await startConsoleBench(DOCUMENTS, { workers: 2 })
    onTestFinished(console.stop)
    const [, left = ''] = console.urls
    const streams = await Promise.all(console.urls.map((url) => follow({ url }, program)))
    await expect.poll(() => streams.map(({ seen }) => seen[0]?.name)).toEqual(['hello', 'hello'])
    const runId = String((await console.post('operator', 'runs', { pipeline: 'ask' })).body.runId)
    const isTold = ({ name, data }: Seen) => name === 'steps' && (data.runIds as string[]).includes(runId)
    const status = async () => {
      const { body } = await send(new URL(`api/v1/runs/${runId}`, left), { headers: program })
      return (body.run as { readonly status: string }).status
    }
    await Promise.all(console.urls.map(() => console.as('viewer', `runs/${runId}`)))
    await expect.poll(() => streams.map(({ seen }) => seen.some(isTold))).toEqual([true, true])
    await expect.poll(status).toBe('waiting')
    const known = streams.map(({ seen }) => seen.length)
    await console.post('approver', `runs/${runId}/decisions`, { step: 'first', decision: 'approved' })
    await expect.poll(() => streams.map(({ seen }, at) => seen.slice(known[at]).some(isTold))).toEqual([true, true])
    const [session, another] = [await sessionOf(console), await sessionOf(console)]
    const elsewhere = await follow({ url: left }, another)
    expect(await statusOf(left, another)).toBe(200)
    expect(await signOut(console.url, session, { everywhere: true })).toBe(200)
    await elsewhere.ended
    expect(await Promise.all(console.urls.map((url) => statusOf(url, another)))).toEqual([401, 401])
    await kill(console.daemon)
    // The daemon may have been killed before the second step waited.
    const decide = async () => {
      const decided = await send(new URL(`api/v1/runs/${runId}/decisions`, left), {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKENS.approver}` },
        json: { step: 'second', decision: 'approved', reason: 'fine' },
      })
      return decided.status
    }
    await expect.poll(decide).toBe(200)
    await expect.poll(status).toBe('succeeded')
    const workers = async () => {
      const { body } = await send(new URL('api/v1/workers', left), { headers: program })
      return (body.workers as readonly { readonly pid: number }[]).map(({ pid }) => pid)
    }
    await expect.poll(workers).toEqual([console.daemons[1]?.pid])
    for (const { response } of streams) response.destroy()
  })
})
