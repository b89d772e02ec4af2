import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MASK } from '../../src/core/secrets.ts'
import { systemClock } from '../../src/platform/clock.ts'
import type { StepServices } from '../../src/steps/define-step.ts'
import { buildOf } from '../../src/steps/segment-build.ts'
import { bodyOf } from '../support/body-of.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { stepRun } from './support/step-run.ts'

let bench: StepBench
beforeAll(async () => {
  bench = await openStepBench()
})
afterAll(() => bench.close())

describe('approval.wait', () => {
  const run = () => stepRun('approval.wait', { message: 'Send it?' }, bench.services, { stepId: 'ask' })

  test('waits for a person, and says how to answer', async () => {
    await expect(run().go()).rejects.toMatchObject({
      reason: 'approval',
      message: 'Send it?',
      hint: expect.stringContaining('audience runs approve run-1 ask'),
    })
  })

  test('says who may answer, that it needs a comment, and until when', async () => {
    const input = { timeout: '2d', approvers: ['ann', 'bob'], notBy: 'submitter', comment: 'required' }
    await expect(stepRun('approval.wait', input, bench.services, { stepId: 'ask' }).go()).rejects.toMatchObject({
      terms: { approvers: ['ann', 'bob'], notBy: 'submitter', needsComment: true, timeoutMs: 172_800_000 },
      hint: '`audience runs approve run-1 ask --comment WHY`, with --reject to say no; by ann or bob; it fails after 2d',
    })
  })

  test.each([
    ['comment: optional', { comment: 'optional' }, '`audience runs approve run-1 ask`, with --reject to say no'],
    ['a limit', { timeout: '30s' }, '`audience runs approve run-1 ask`, with --reject to say no; it fails after 30s'],
    ['nothing', {}, '`audience runs approve run-1 ask`, with --reject to say no'],
  ])('asks for an approval by itself if it has %s', async (_name, input, hint) => {
    await expect(stepRun('approval.wait', input, bench.services, { stepId: 'ask' }).go()).rejects.toMatchObject({
      ...{ code: 'approval-needed', message: 'step "ask" waits for an approval', hint },
    })
  })

  test('goes on with a yes and fails with a no', async () => {
    const yes = run()
    yes.decide('approved')
    expect(await yes.go()).toEqual({ decision: 'approved' })
    const no = run()
    no.decide('rejected')
    await expect(no.go()).rejects.toMatchObject({ name: 'AudienceError', code: 'approval-rejected' })
  })
})

test('run.fail fails with its message', async () => {
  const run = stepRun('run.fail', { message: 'the list is from last week' }, bench.services, { stepId: 'stop' })
  await expect(run.go()).rejects.toMatchObject({
    code: 'run-failed',
    kind: 'failed',
    message: 'the list is from last week',
  })
})

describe('jobs.wait', () => {
  test('waits for a job that a step started without waiting', async () => {
    await bench.service.upload('waited.csv', 'ann 2001 CABLE')
    const input = {
      segmentFileName: 'waited.csv',
      participantSegmentId: 'waited',
      segmentName: 'Waited',
      uploadSignal: 'EMAIL',
      resultContent: 'BGID',
      providerId: 1001,
    }
    const { jobId, ...rest } = await stepRun('segments.create', input, bench.services, { await: false }).go()
    expect(rest).toEqual({ jobStatus: 'PENDING' })
    const run = stepRun('jobs.wait', { jobId }, bench.services)
    expect(await run.go()).toEqual({ jobId, jobStatus: 'SUCCESS', segmentId: expect.any(String) })
    expect(run.progress.at(-1)).toMatchObject({ kind: 'job', jobId, status: 'SUCCESS' })
  })

  test('fails with a job that fails', async () => {
    await bench.service.upload('empty.csv', '')
    const { body } = await bench.service.send('POST /api/segments', {
      body: {
        segmentFileName: 'empty.csv',
        participantSegmentId: 'empty',
        segmentName: 'Empty',
        uploadSignal: 'EMAIL',
        resultContent: 'BGID',
        providerId: 1001,
      },
    })
    const run = stepRun('jobs.wait', { jobId: body.id }, bench.services)
    await expect(run.go()).rejects.toMatchObject({ code: 'job-failed' })
  })
})

test('a segment that a step makes is a build, which its matches are refreshed after', async () => {
  await bench.service.upload('built.csv', 'ann 2001 CABLE')
  const input = {
    ...{ segmentFileName: 'built.csv', participantSegmentId: 'built', segmentName: 'Built', providerId: 1001 },
    ...{ uploadSignal: 'EMAIL', resultContent: 'BGID' },
  }
  const { segmentId, jobId } = await stepRun('segments.create', input, bench.services).go()
  expect(await buildOf({ id: String(segmentId) }, bench.services)).toBe(jobId)
})

describe('notify.webhook', () => {
  const SECRET = 'T0K3N-of-the-hook'

  /** A hook that answers with the statuses in turn, and then always with the last one; 0 closes the connection. */
  async function hook(statuses: readonly number[]) {
    const seen: { body: unknown; type: string | undefined }[] = []
    const server = createServer(async (request: IncomingMessage, response) => {
      const body = await bodyOf(request)
      if (!body) return
      const status = statuses[Math.min(seen.length, statuses.length - 1)] ?? 200
      seen.push({ body: JSON.parse(body.toString()), type: request.headers['content-type'] })
      if (status === 0) request.socket.destroy()
      else response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end('thanks')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { seen, origin, url: `${origin}/services/${SECRET}?key=${SECRET}` }
  }

  // The waits between two tries are short, but the limit of a try is in real time: a busy machine may answer late.
  const send = (url: string, body?: object, services: Partial<StepServices> = {}) => {
    const clock = { ...bench.services.clock, timer: systemClock.timer }
    const input = { url, text: 'It failed.', ...(body && { body: { ...body } }) }
    return stepRun('notify.webhook', input, { ...bench.services, clock, ...services }).go()
  }

  test('posts the text as JSON, with what else the body has', async () => {
    const { seen, url } = await hook([204])
    const more = { channel: '#data', thread: null, fields: [null, { short: true }] }
    expect(await send(url, { ...more, text: 'not this' })).toEqual({ status: 204 })
    expect(seen).toEqual([{ body: { ...more, text: 'It failed.' }, type: 'application/json' }])
  })

  test.each([
    ['an error of the server', [500, 503, 429, 200], 4],
    ['a lost connection', [0, 200], 2],
  ])('tries again after %s', async (_name, statuses, requests) => {
    const { seen, url } = await hook(statuses)
    expect(await send(url)).toEqual({ status: 200 })
    expect(seen).toHaveLength(requests)
  })

  test.each([
    ['refuses', [404], 1, 'answered 404'],
    ['redirects', [307], 1, 'answered 307'],
    ['offers a choice of addresses', [300], 1, 'answered 300'],
    ['fails four times', [500], 4, 'answered 500'],
    ['hangs up four times', [0], 4, 'cannot be reached'],
  ])(
    'fails when the hook %s, and shows no more of the URL than its origin',
    async (_name, statuses, requests, said) => {
      const { seen, origin, url } = await hook(statuses)
      const error = (await send(url).catch((reason: unknown) => reason)) as Error & { hint: string }
      expect(error).toMatchObject({ code: 'webhook-failed', message: expect.stringContaining(said) })
      expect(error.message).toContain(origin)
      expect(seen).toHaveLength(requests)
      for (const text of [error.message, error.hint, String(error.stack), String(error.cause)]) {
        expect(text).not.toContain(SECRET)
      }
    },
  )

  test.each([`http://${SECRET}:x@127.0.0.1/`, `http://[${SECRET}`])(
    'a URL that cannot be used is not shown',
    async (url) => {
      const error = (await send(url).catch((reason: unknown) => reason)) as Error
      expect(error).toMatchObject({ code: 'webhook-url' })
      expect(`${error.message} ${error.stack}`).not.toContain(SECRET)
    },
  )

  test('masks the secrets in it, at any depth, except where one is all of a member', async () => {
    const { seen, url } = await hook([200])
    const redact = (text: string) => text.replaceAll(SECRET, MASK)
    const said = `the key is ${SECRET}`
    const body = { key: SECRET, list: [said, 7, null, { deep: said }], none: null }
    await send(url, body, { redact })
    const masked = `the key is ${MASK}`
    expect(seen.map((one) => one.body)).toEqual([
      { key: SECRET, list: [masked, 7, null, { deep: masked }], none: null, text: 'It failed.' },
    ])
  })

  test('waits longer before each try', async () => {
    const { url } = await hook([500])
    const sleeps: number[] = []
    const sleep = async (ms: number) => void sleeps.push(ms)
    await expect(send(url, undefined, { clock: { ...systemClock, sleep } })).rejects.toThrow('answered 500')
    expect(sleeps).toEqual([1000, 5000, 15_000])
  })

  test('an address without http is refused before the run', () => {
    expect(() => send('ftp://example.com')).toThrow(/must begin with http/)
  })
})
