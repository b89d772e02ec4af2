import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { createApiClient } from '../../src/adapter/create-api-client.ts'
import { staticToken } from '../../src/adapter/tokens.ts'
import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { fakeClock } from '../adapter/fake-clock.ts'
import { passInUndici } from '../adapter/undici-time.ts'
import { newSegment, startTestService, type TestService } from './support/start-test-service.ts'

/** So long that the client gives up. The delay ends when the test says so. */
const LATE_MS = 600_000
let isLate: PromiseWithResolvers<void>

let bench: TestService
let folder: string
let api: ApiClient
let segmentId: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audience-faults-'))
  const sleep: SteadyClock['sleep'] = (ms, signal) => (ms === LATE_MS ? isLate.promise : systemClock.sleep(ms, signal))
  bench = await startTestService({ clock: { ...systemClock, sleep } })
  segmentId = await bench.segment('there', 'ann 2001 CABLE')
})
afterAll(async () => {
  await bench.close()
  await rm(folder, { recursive: true })
})
const clientBy = (clock: SteadyClock) =>
  createApiClient({
    baseUrl: bench.service.url,
    token: staticToken(bench.service.token),
    clock,
    random: () => 0,
    log: pino({ level: 'silent' }),
    redact: (text) => text,
  })
beforeEach(async () => {
  isLate = Promise.withResolvers()
  api = clientBy(systemClock)
  await bench.control('DELETE /faults')
  await bench.control('DELETE /requests')
})
afterEach(async () => {
  isLate.resolve()
  await api.close()
})

const fault = async (rule: object) => {
  const answer = await bench.control('POST /faults', rule)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** The statuses of an operation in the journal, oldest first; null if no answer was sent. */
const statuses = async (operation: string): Promise<(number | null)[]> => {
  const { requests } = (await bench.control(`GET /requests?operation=${operation}`)).body
  return requests.map((request: { status: number | null }) => request.status).reverse()
}

/** The result of a call: its value, or the message of its error. */
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    (value) => ({ value }),
    (error) => ({ code: error.code, outcome: error.request?.outcome, status: error.request?.status }),
  )

/** When the service starts to delay an answer, the client's limit has already passed. */
const untilLeft = async (rule: object) => {
  if (!('delayMs' in rule) || rule.delayMs !== LATE_MS) return
  await expect.poll(async () => (await bench.control('GET /faults')).body.faults[0].applied).toBe(1)
  await passInUndici(1000)
  await passInUndici(60_000)
}

const upload = async (name: string) => {
  const file = join(folder, name)
  await writeFile(file, 'ann 2001 CABLE')
  return api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
}
const create = (name: string) =>
  api.segments.create({ ...newSegment(name), segmentFileName: 'there.csv' } as Parameters<
    typeof api.segments.create
  >[0])
const update = () => api.segments.update({ id: segmentId, segmentName: 'Renamed' })
const read = () => api.segments.get({ id: segmentId })
const creations = async () => (await bench.control('GET /jobs?kind=segments.create&limit=1000')).body.jobs.length

describe('what the adapter does about', () => {
  test.each([
    [{ action: 'status', status: 500 }, [500, 200]],
    [{ action: 'status', status: 429, retryAfter: 0 }, [429, 200]],
    [{ action: 'status', status: 503, retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' }, [503, 200]],
    [{ action: 'resetBefore' }, [null, 200]],
    [{ action: 'resetAfter' }, [null, 200]],
    [{ action: 'truncate' }, [200, 200]],
    [{ action: 'garbage' }, [200, 200]],
    [{ action: 'garbage', garbage: 'json' }, [200, 200]],
    [{ action: 'delay', delayMs: LATE_MS }, [null, 200]],
    [{ action: 'delay', delayMs: 5 }, [200]],
  ])('%j of a read: repeats until it is answered', async (rule, seen) => {
    await fault({ ...rule, operation: 'segments.get', nth: 1 })
    const answer = outcomeOf(read())
    await untilLeft(rule)
    expect(await answer).toMatchObject({ value: { id: segmentId } })
    await expect.poll(() => statuses('segments.get')).toEqual(expect.arrayContaining(seen))
    expect(await statuses('segments.get')).toHaveLength(seen.length)
  })

  test.each([
    { action: 'status', status: 500 },
    { action: 'status', status: 503, retryAfter: 0 },
    { action: 'resetBefore' },
    { action: 'resetAfter' },
    { action: 'truncate' },
    { action: 'garbage' },
  ])(
    '%j of an update, an upload, a delete: repeats, because they end the same however often they happen',
    async (rule) => {
      await fault({ ...rule, operation: '*', nth: 1 })
      expect(await outcomeOf(update())).toMatchObject({ value: { segmentName: 'Renamed' } })
      await fault({ ...rule, operation: 'files.upload', nth: 1 })
      expect(await outcomeOf(upload('again.csv'))).toEqual({ value: { name: 'again.csv' } })
      await fault({ ...rule, operation: 'files.delete', nth: 1 })
      const gone = api.files.delete({ file: 'again.csv', uploadSignal: 'EMAIL', resultContent: 'BGID' })
      expect(await outcomeOf(gone)).toEqual({ value: undefined })
      expect(await statuses('segments.update')).toHaveLength(2)
      expect(await statuses('files.upload')).toHaveLength(2)
      expect(await statuses('files.delete')).toHaveLength(2)
    },
  )

  test.each([
    ['status', { status: 500 }, { code: 'service-error', status: 500 }, [500], 0],
    ['status', { status: 503, retryAfter: 0 }, { code: 'service-error', status: 503 }, [503], 0],
    ['resetBefore', {}, { code: 'connection-lost' }, [null], 0],
    ['resetAfter', {}, { code: 'connection-lost' }, [null], 1],
    ['truncate', {}, { code: 'bad-answer', status: 200 }, [200], 1],
    ['garbage', {}, { code: 'bad-answer', status: 200 }, [200], 1],
    ['garbage', { garbage: 'json' }, { code: 'bad-answer', status: 200 }, [200], 1],
    ['delay', { delayMs: LATE_MS }, { code: 'connection-lost' }, [null], 1],
  ])(
    '%s %j of a creation: throws with the outcome unknown, and sends it once',
    async (action, more, said, seen, happened) => {
      const name = `once-${action}-${JSON.stringify(more).length}`
      const before = await creations()
      await fault({ action, ...more, operation: 'segments.create' })
      const answer = outcomeOf(create(name))
      await untilLeft(more)
      expect(await answer).toMatchObject({ ...said, outcome: 'unknown' })
      isLate.resolve()
      await expect.poll(() => statuses('segments.create')).toEqual(seen)
      await expect.poll(async () => (await creations()) - before).toBe(happened)
    },
  )

  test('a creation that is refused for now (429): sends it again', async () => {
    await fault({ action: 'status', status: 429, operation: 'segments.create', times: 2 })
    expect(await outcomeOf(create('later'))).toMatchObject({ value: { status: 'PENDING' } })
    expect(await statuses('segments.create')).toEqual([429, 429, 200])
  })

  test('a list whose rows repeat: gives each once, and does not say that it is the whole', async () => {
    await Promise.all(Array.from({ length: 105 }, (_, index) => bench.upload(`list-${index}.csv`, 'x', LISTED)))
    await fault({ operation: 'files.list', action: 'duplicate' })
    const first = (await bench.send(`GET /api/files?${LISTED}&page=0`)).body.files
    const second = (await bench.send(`GET /api/files?${LISTED}&page=1`)).body.files
    expect([first.at(-1), second[0]]).toEqual([first.at(-2), first.at(-2)])
    const names: string[] = []
    // It reads the list again and again, with pauses in between.
    await api.close()
    api = clientBy(fakeClock())
    const read = async () => {
      for await (const { name } of api.items('files.list', { uploadSignal: 'IDFA', resultContent: 'BGID' }))
        names.push(name)
    }
    await expect(read()).rejects.toMatchObject({ code: 'list-not-still' })
    expect(names).toHaveLength(105)
    expect(new Set(names).size).toBe(105)
  })

  test('what is not visible yet: waits for a job that is 404 at first (decision 127)', async () => {
    await bench.control('POST /clock/freeze')
    await fault({ operation: 'segments.create', action: 'lag', delayMs: 2000 })
    const { id } = await create('late')
    const [job] = (await bench.control('GET /jobs?limit=1')).body.jobs
    expect(job).toMatchObject({ id, kind: 'segments.create' })
    const found = () => bench.send('GET /api/segments?participantSegmentId=late')
    expect((await bench.send(`GET /api/segments/${job.segmentId}`)).status).toBe(404)
    expect((await found()).body.segments).toEqual([])
    const done = api.waitForJob(id, { timeoutMs: 60_000, resource: 'segmentId', poll: { initialMs: 20 } })
    await expect.poll(async () => (await statuses('jobs.get')).length).toBeGreaterThan(1)
    await bench.control('POST /clock/advance', { ms: 2000 })
    await bench.control('POST /clock/thaw')
    expect(await done).toMatchObject({ status: 'SUCCESS' })
    const seen = await statuses('jobs.get')
    expect(seen.slice(0, 2)).toEqual([404, 404])
    expect(seen.at(-1)).toBe(200)
    expect((await found()).body.segments).toHaveLength(1)
  })
})

const LISTED = 'uploadSignal=IDFA&resultContent=BGID'

describe('rules', () => {
  test.each([
    ['no action', { operation: 'jobs.get' }, '/action'],
    ['an unknown operation', { operation: 'jobs.list', action: 'delay', delayMs: 1 }, '/operation'],
    ['status without one', { operation: '*', action: 'status' }, ''],
    ['delay without milliseconds', { operation: '*', action: 'delay' }, ''],
    ['milliseconds without delay', { operation: '*', action: 'resetAfter', delayMs: 1 }, ''],
    ['nth and probability', { operation: '*', action: 'resetAfter', nth: 1, probability: 1 }, ''],
    ['a list’s fault for a creation', { operation: 'segments.create', action: 'duplicate' }, '/operation'],
    ['a creation’s fault for a read', { operation: 'jobs.get', action: 'lag', delayMs: 1 }, '/operation'],
    ['an unknown field', { operation: '*', action: 'resetAfter', colour: 'red' }, '/colour'],
  ])('refuses %s', async (_name, rule, pointer) => {
    const answer = await bench.control('POST /faults', rule)
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map((item: { pointer: string }) => item.pointer)).toContain(pointer)
  })

  const pattern = async (rule: object, requests = 12) => {
    await bench.control('DELETE /faults')
    await fault({ operation: 'segments.get', action: 'status', status: 418, ...rule })
    const seen: number[] = []
    for (let index = 0; index < requests; index++)
      seen.push((await bench.send(`GET /api/segments/${segmentId}`)).status)
    return seen.map((status) => (status === 418 ? 'x' : '.')).join('')
  }

  test('apply to the nth request, as often as they say, or to a share', async () => {
    expect(await pattern({ nth: 3 })).toBe('..x.........')
    expect(await pattern({ nth: 3, times: 2 })).toBe('..xx........')
    expect(await pattern({ times: 4 })).toBe('xxxx........')
    expect(await pattern({ probability: 0 })).toBe('............')
    expect(await pattern({ probability: 1 })).toBe('xxxxxxxxxxxx')
  })

  test('pick the same requests with the same seed, and others with another', async () => {
    const rule = { probability: 0.4, seed: 7 }
    const first = await pattern(rule, 40)
    expect(first).toMatch(/x/)
    expect(first).toMatch(/\./)
    expect(await pattern(rule, 40)).toBe(first)
    expect(await pattern({ ...rule, seed: 8 }, 40)).not.toBe(first)
  })

  test('are listed with what they did, deleted one by one, and spare the control API', async () => {
    const { id } = await fault({ operation: '*', action: 'status', status: 500 })
    const other = await fault({ operation: 'jobs.get', action: 'garbage' })
    await bench.send(`GET /api/segments/${segmentId}`)
    await bench.send('GET /api/jobs/1')
    const { faults } = (await bench.control('GET /faults')).body
    expect(faults).toMatchObject([
      { id, seen: 2, applied: 2 },
      { id: other.id, seen: 1, applied: 0 },
    ])
    expect((await bench.control(`DELETE /faults/${id}`)).status).toBe(200)
    expect((await bench.control(`DELETE /faults/${id}`)).status).toBe(404)
    expect((await bench.send(`GET /api/segments/${segmentId}`)).status).toBe(200)
  })
})
