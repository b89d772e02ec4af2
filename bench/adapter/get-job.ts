import { Agent, request } from 'undici'
import { VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { startChild } from '../support/child.ts'
import { compare } from '../support/compare.ts'
import { finishedJob } from '../support/finished-job.ts'
import { openApiClient } from '../support/open-api-client.ts'
import { rate } from '../support/rate.ts'
import { printReport, type Row } from '../support/report.ts'
import type { ServiceAddress } from '../support/service-child.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** GET job through the adapter, compared to a bare undici.request, on the same server in another process. */
const ROUNDS = 11
const ROUND_MS = 400
const CONCURRENCIES = [1, 16, 64]

await withTempFolder(async (folder) => {
  const service = startChild(new URL('../support/service-child.ts', import.meta.url))
  const plain = startChild(new URL('plain-server.ts', import.meta.url))
  try {
    const address = await service.ask<ServiceAddress>('start', { dataDir: folder, jobsRest: false })
    const setUp = openApiClient(address)
    const jobId = await finishedJob(setUp, folder)
    const body = JSON.stringify(await setUp.jobs.get({ jobId }))
    await setUp.close()
    const origin = await plain.ask<string>('start', { type: VENDOR_MEDIA_TYPE, body })

    const rows: Row[] = []
    for (const concurrency of CONCURRENCIES) {
      const label = `${concurrency} at a time`
      rows.push(await measured(`the service, ${label}`, address, jobId, concurrency))
      rows.push(await measured(`node:http, ${label}`, { url: origin, token: 'token' }, jobId, concurrency))
    }
    printReport('GET job through the adapter (ours) beside bare undici.request (peer)', rows, [
      `${ROUNDS} rounds of ${ROUND_MS} ms a side; node:http answers the same body at once, so that the client is the bottleneck.`,
    ])
  } finally {
    await Promise.all([service.stop(), plain.stop()])
  }
})

async function measured(name: string, address: ServiceAddress, jobId: string, concurrency: number): Promise<Row> {
  const api = openApiClient({ ...address, concurrency })
  const dispatcher = new Agent({ allowH2: false, connections: concurrency, pipelining: 1 })
  const url = `${address.url}/api/jobs/${jobId}`
  const headers = { accept: VENDOR_MEDIA_TYPE, authorization: `Bearer ${address.token}` }
  const bare = async () => {
    const { statusCode, body } = await request(url, { dispatcher, headers })
    if (statusCode !== 200) throw new Error(`status ${statusCode}`)
    return body.json()
  }
  try {
    return await compare({
      name,
      unit: '/s',
      rounds: ROUNDS,
      ours: () => rate(concurrency, ROUND_MS, () => api.jobs.get({ jobId })),
      peer: () => rate(concurrency, ROUND_MS, bare),
      limit: { atLeast: 0.9 },
    })
  } finally {
    await api.close()
    await dispatcher.destroy()
  }
}
