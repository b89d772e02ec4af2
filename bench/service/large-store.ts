import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { type Child, startChild } from '../support/child.ts'
import { openApiClient } from '../support/open-api-client.ts'
import { printReport, type Row } from '../support/report.ts'
import type { ServiceAddress } from '../support/service-child.ts'
import { percentile } from '../support/stats.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { seedStore, segmentId } from './seed-store.ts'

/**
 * How long requests take when the store has many segments and jobs, and how much longer that is than with a hundredth
 * of them.
 */
const SMALL = { segments: 2000, jobs: 1000 }
const LARGE = { segments: 200_000, jobs: 100_000 }
const ROUNDS = 30
const REQUESTS = 30
/** The last page that can be requested, with the largest size. */
const LAST_PAGE = 1000
const PAGE_SIZE = 100

type Counts = typeof SMALL

interface Side {
  readonly counts: Counts
  readonly address: ServiceAddress
  readonly child: Child
}

interface Ask {
  readonly path: string
  readonly body?: string
}

/** Each operation builds its request from a number. No two requests to the same side get the same number. */
const OPERATIONS: Readonly<Record<string, (number: number, counts: Counts) => Ask>> = {
  'create segment': (number) => ({
    path: '/segments',
    body: JSON.stringify({
      segmentFileName: 'one.csv',
      participantSegmentId: `new-${number}`,
      segmentName: `New ${number}`,
      uploadSignal: 'EMAIL',
      resultContent: 'BGID',
      providerId: 1001,
    }),
  }),
  'get segment': (number, { segments }) => ({ path: `/segments/${segmentId(scattered(number, segments))}` }),
  'get job': (number, { jobs }) => ({ path: `/jobs/${1 + scattered(number, jobs)}` }),
  'list, first page of 10': () => ({ path: '/segments?page=0&pageSize=10' }),
  'list, first page of 100': () => ({ path: `/segments?page=0&pageSize=${PAGE_SIZE}` }),
  'list, last page of 100 (at most 1,000)': (_number, { segments }) => ({
    path: `/segments?page=${Math.min(LAST_PAGE, segments / PAGE_SIZE - 1)}&pageSize=${PAGE_SIZE}`,
  }),
  'list by participantSegmentId': (number, { segments }) => ({
    path: `/segments?participantSegmentId=own-${scattered(number, segments)}`,
  }),
  'list by a signal that one in 1,000 has': () => ({ path: '/segments?uploadSignal=IP&pageSize=10' }),
}

await withTempFolder(async (folder) => {
  const sides: Side[] = []
  const dispatcher = new Agent({ allowH2: false, connections: 1, pipelining: 1 })
  try {
    const begun = performance.now()
    for (const counts of [SMALL, LARGE]) sides.push(await started(join(folder, String(counts.segments)), counts))
    const seeded = ((performance.now() - begun) / 1000).toFixed(1)
    const rows: Row[] = []
    for (const [name, ask] of Object.entries(OPERATIONS)) rows.push(await measured(name, ask, sides, dispatcher))
    printReport('Requests to a service with many segments and jobs, in milliseconds', rows, [
      `One request at a time, ${ROUNDS * REQUESTS} of each, in turns of ${REQUESTS}. ${LARGE.segments} segments and ${LARGE.jobs} jobs beside ${SMALL.segments} and ${SMALL.jobs}.`,
      `Making both stores and starting both services took ${seeded} s. No limit is stated; the growth is what is asked for.`,
    ])
  } finally {
    await dispatcher.destroy()
    await Promise.all(sides.map(({ child }) => child.stop()))
  }
})

async function started(dataDir: string, counts: Counts): Promise<Side> {
  seedStore(dataDir, counts)
  const child = startChild(new URL('../support/service-child.ts', import.meta.url))
  const address = await child.ask<ServiceAddress>('start', { dataDir, jobsRest: true })
  const file = join(dataDir, 'one.csv')
  await writeFile(file, 'email\na@example.com\n')
  const api = openApiClient(address)
  await api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
  await api.close()
  return { counts, address, child }
}

async function measured(
  name: string,
  ask: (number: number, counts: Counts) => Ask,
  [small, large]: readonly Side[],
  dispatcher: Agent,
): Promise<Row> {
  if (!small || !large) throw new Error('there are two sides')
  const times: { small: number[]; large: number[] } = { small: [], large: [] }
  let number = 0
  const turn = async ({ address, counts }: Side, kept: number[]) => {
    for (let index = 0; index < REQUESTS; index += 1) {
      kept.push(await timed(address, ask(number + index, counts), dispatcher))
    }
  }
  for (let round = -1; round < ROUNDS; round += 1) {
    await turn(small, times.small)
    await turn(large, times.large)
    number += REQUESTS
    // The first round does not count.
    if (round < 0) times.small.length = times.large.length = 0
  }
  const at = (kept: readonly number[], share: number) => percentile(kept, share)
  const growth = (share: number) => (at(times.large, share) / at(times.small, share)).toFixed(2)
  return {
    request: name,
    'p50 at 2,000': at(times.small, 0.5).toFixed(3),
    'p50 at 200,000': at(times.large, 0.5).toFixed(3),
    'p50 grew': `× ${growth(0.5)}`,
    'p99 at 2,000': at(times.small, 0.99).toFixed(3),
    'p99 at 200,000': at(times.large, 0.99).toFixed(3),
    'p99 grew': `× ${growth(0.99)}`,
  }
}

async function timed({ url, token }: ServiceAddress, { path, body }: Ask, dispatcher: Agent): Promise<number> {
  const begun = performance.now()
  const response = await request(`${url}/api${path}`, {
    dispatcher,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: VENDOR_MEDIA_TYPE,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`)
  return performance.now() - begun
}

/** Spreads consecutive numbers over 0 … below - 1. */
function scattered(number: number, below: number): number {
  return (number * 7919) % below
}
