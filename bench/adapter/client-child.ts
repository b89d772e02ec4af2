import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Agent, request } from 'undici'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import { VENDOR_MEDIA_TYPE } from '../../src/contract/operation.ts'
import { answerParent } from '../support/child.ts'
import { memoryWatch } from '../support/memory.ts'
import { openApiClient } from '../support/open-api-client.ts'

/** A client in its own process. It uploads through the adapter, or with undici alone. */
const memory = memoryWatch()
let api: ApiClient | undefined
const dispatcher = new Agent({ allowH2: false, connections: 1, pipelining: 1 })

export interface BareUpload {
  readonly url: string
  readonly token: string
  /** A file with the whole multipart body. */
  readonly bodyFile: string
  readonly boundary: string
}

answerParent(
  {
    open(address: { url: string; token: string }) {
      api = openApiClient(address)
    },
    /** The duration, in seconds. */
    async upload({ file }: { file: string }): Promise<number> {
      const begun = performance.now()
      await api?.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
      return (performance.now() - begun) / 1000
    },
    async bareUpload({ url, token, bodyFile, boundary }: BareUpload): Promise<number> {
      const begun = performance.now()
      const { size } = await stat(bodyFile)
      const { statusCode, body } = await request(`${url}/api/files?uploadSignal=EMAIL&resultContent=BGID`, {
        dispatcher,
        method: 'POST',
        headers: {
          accept: VENDOR_MEDIA_TYPE,
          authorization: `Bearer ${token}`,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          'content-length': String(size),
        },
        body: createReadStream(bodyFile),
      })
      const text = await body.text()
      if (statusCode !== 200) throw new Error(`${statusCode} ${text}`)
      return (performance.now() - begun) / 1000
    },
    beginMemory: () => memory.begin(),
    memoryGrowth: () => memory.growth(),
  },
  () => Promise.all([api?.close(), dispatcher.destroy()]),
)
