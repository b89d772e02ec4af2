import { VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { type Child, startChild } from '../support/child.ts'
import { compare } from '../support/compare.ts'
import { finishedJob } from '../support/finished-job.ts'
import { type Load, openLoad } from '../support/load.ts'
import { openApiClient } from '../support/open-api-client.ts'
import { printReport, type Row } from '../support/report.ts'
import type { ServiceAddress } from '../support/service-child.ts'
import { median } from '../support/stats.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/** GET job on the service, compared to a bare Fastify route with the same body, each in its own process. */
const ROUNDS = 11
const ROUND_MS = 500
const CONNECTIONS = [1, 16, 64]

await withTempFolder(async (folder) => {
  const service = startChild(new URL('../support/service-child.ts', import.meta.url))
  const bare = startChild(new URL('fastify-child.ts', import.meta.url))
  try {
    const { url, token } = await service.ask<ServiceAddress>('start', { dataDir: folder, jobsRest: false })
    const api = openApiClient({ url, token })
    const jobId = await finishedJob(api, folder)
    const job = await api.jobs.get({ jobId })
    await api.close()
    const origin = await bare.ask<string>('start', { body: job })

    const headers = { accept: VENDOR_MEDIA_TYPE, authorization: `Bearer ${token}` }
    const rows: Row[] = []
    for (const connections of CONNECTIONS) {
      const ours = await openLoad(`${url}/api/jobs/${jobId}`, headers, connections)
      const peer = await openLoad(`${origin}${new URL(url).pathname}/api/jobs/${jobId}`, headers, connections)
      const micros = { ours: [] as number[], peer: [] as number[] }
      const row = await compare({
        name: `${connections} at a time`,
        unit: '/s',
        rounds: ROUNDS,
        ours: () => perSecond(service, ours, micros.ours),
        peer: () => perSecond(bare, peer, micros.peer),
        limit: { atLeast: 0.7 },
      })
      const processor = `${median(micros.ours).toFixed(1)} / ${median(micros.peer).toFixed(1)} µs`
      rows.push({ ...row, 'processor time a request': processor })
      ours.close()
      peer.close()
    }
    printReport('GET job on the service (ours) beside a bare Fastify route (peer)', rows, [
      `${ROUNDS} rounds of ${ROUND_MS} ms a side, asked over raw sockets.`,
    ])
  } finally {
    await Promise.all([service.stop(), bare.stop()])
  }
})

/** Requests per second. `micros` gets the server's processor time per request, in microseconds. */
async function perSecond(child: Child, load: Load, micros: number[]): Promise<number> {
  const before = await child.ask<number>('cpuMicros')
  const begun = performance.now()
  const requests = await load.requests(ROUND_MS)
  const seconds = (performance.now() - begun) / 1000
  micros.push(((await child.ask<number>('cpuMicros')) - before) / requests)
  return requests / seconds
}
