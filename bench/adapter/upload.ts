import { createReadStream, createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MAX_UPLOAD_BYTES } from '../../src/contract/files.ts'
import { VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { type Child, startChild } from '../support/child.ts'
import { compare, verdict } from '../support/compare.ts'
import { printReport, type Row } from '../support/report.ts'
import type { ServiceAddress } from '../support/service-child.ts'
import { withTempFolder } from '../support/temp-folder.ts'

/**
 * An upload of 150 MB through the adapter, compared to a bare streamed undici request, and the resources that both ends
 * need.
 */
const ROUNDS = 9
const MAX_GROWTH_MB = 64
const BOUNDARY = 'audience-bench-boundary'
const MEBIBYTE = 1024 * 1024

await withTempFolder(async (folder) => {
  const file = join(folder, 'large.csv')
  const bodyFile = join(folder, 'large.multipart')
  const small = join(folder, 'small.csv')
  await writeFile(small, 'email\na@example.com\n')
  await writeLines(file, MAX_UPLOAD_BYTES)
  await pipeline(multipartOf(file), createWriteStream(bodyFile))

  const service = startChild(new URL('../support/service-child.ts', import.meta.url))
  const sink = startChild(new URL('plain-server.ts', import.meta.url))
  const clientOfService = startChild(new URL('client-child.ts', import.meta.url))
  const clientOfSink = startChild(new URL('client-child.ts', import.meta.url))
  const bare = startChild(new URL('client-child.ts', import.meta.url))
  try {
    const address = await service.ask<ServiceAddress>('start', { dataDir: join(folder, 'data'), jobsRest: false })
    const origin = await sink.ask<string>('start', { type: VENDOR_MEDIA_TYPE, body: '{"name":"large.csv"}' })
    const nowhere = { url: origin, token: 'token' }
    const megabytes = (seconds: number) => MAX_UPLOAD_BYTES / 1e6 / seconds

    // A first upload loads everything before memory is measured.
    await clientOfService.ask('open', address)
    await clientOfService.ask('upload', { file: small })
    await clientOfSink.ask('open', nowhere)
    await bare.ask('bareUpload', { ...nowhere, bodyFile: small, boundary: BOUNDARY })
    await Promise.all([service, clientOfService, bare].map((child) => child.ask('beginMemory')))

    const rate = (name: string, client: Child, target: ServiceAddress) =>
      compare({
        name,
        unit: 'MB/s',
        rounds: ROUNDS,
        ours: async () => megabytes(await client.ask<number>('upload', { file })),
        peer: async () => megabytes(await bare.ask<number>('bareUpload', { ...target, bodyFile, boundary: BOUNDARY })),
        limit: { atLeast: 0.9 },
      })
    const rows: Row[] = [await rate('150 MB to the service', clientOfService, address)]
    const clientGrowth = await clientOfService.ask<number>('memoryGrowth')
    const bareGrowth = await bare.ask<number>('memoryGrowth')
    const serverGrowth = await service.ask<number>('memoryGrowth')
    rows.push(await rate('150 MB to a server that drops it', clientOfSink, nowhere))
    rows.push(memoryRow('growth of resident memory, client', clientGrowth, bareGrowth))
    rows.push(memoryRow('growth of resident memory, server', serverGrowth))
    printReport('Upload through the adapter (ours) beside a bare streamed undici request (peer)', rows, [
      `${ROUNDS} rounds. Memory: the highest of samples every 5 ms over all ${ROUNDS + 1} uploads, against that after one small upload;`,
      'the server took the bare uploads as well.',
    ])
  } finally {
    await Promise.all([service, sink, clientOfService, clientOfSink, bare].map((child) => child.stop()))
  }
})

function memoryRow(claim: string, bytes: number, peerBytes?: number): Row {
  const growth = bytes / MEBIBYTE
  const limit = `< ${MAX_GROWTH_MB} MB`
  const result = verdict(growth, { atMost: MAX_GROWTH_MB })
  const peer = peerBytes === undefined ? '' : `${(peerBytes / MEBIBYTE).toFixed(1)} MB`
  return { claim, ours: `${growth.toFixed(1)} MB`, peer, ratio: '', 'min–max': '', limit, result }
}

/** E-mail addresses, one per line, that together have exactly this size. */
async function writeLines(path: string, bytes: number): Promise<void> {
  const line = (number: number) => `person.${String(number).padStart(8, '0')}@example.com\n`
  const length = line(0).length
  function* blocks() {
    for (let at = 0; at < bytes; at += length * 1000) {
      const block = Array.from({ length: 1000 }, (_, index) => line(at / length + index)).join('')
      yield block.slice(0, bytes - at)
    }
  }
  await pipeline(Readable.from(blocks()), createWriteStream(path))
}

async function* multipartOf(path: string): AsyncGenerator<Buffer> {
  const head = 'content-disposition: form-data; name="file"; filename="large.csv"\r\ncontent-type: text/csv'
  yield Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`)
  for await (const chunk of createReadStream(path)) yield chunk
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
}
