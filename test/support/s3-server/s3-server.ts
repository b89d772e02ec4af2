import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bucket } from './bucket.ts'
import { listObjects } from './list-objects.ts'
import { objectOperation, type S3Answer, type Weaknesses } from './operations.ts'
import { errorDocument, S3Error } from './s3-error.ts'
import { checkSignature, type Keys } from './signature.ts'

const REGION = 'eu-west-1'
const BUCKET = 'drops'
const MAX_BODY_BYTES = 64 * 2 ** 20
/** The server would ignore other headers, so it refuses them. */
const PARAMETERS = new Set([
  ...['list-type', 'prefix', 'delimiter', 'max-keys', 'continuation-token', 'start-after', 'encoding-type'],
  ...['versionId', 'tagging', 'uploads', 'uploadId', 'partNumber', 'x-id', 'fetch-owner'],
])

/** Answers a request instead of the server; returns false to leave it to the server. */
type Disturbance = (request: IncomingMessage, response: ServerResponse) => boolean

export interface S3Server {
  readonly endpoint: string
  readonly region: string
  readonly name: string
  readonly keys: Keys
  readonly bucket: Bucket
  /** The requests, like `GET in/a.csv`, in the order of arrival. */
  readonly requests: string[]
  /** From now on, disturbs requests in this way. */
  disturb(how: Disturbance | undefined): void
  /** Ends all connections, as a network failure does. */
  cut(): void
  stop(): Promise<void>
}

/** A strict S3 server on this machine, with one bucket, addressed by path: it refuses whatever AWS refuses. */
export async function startS3Server(
  options: Weaknesses & { readonly isVersioned?: boolean; readonly keys?: Keys } = {},
): Promise<S3Server> {
  const keys = options.keys ?? { accessKeyId: 'an-id', secretAccessKey: 'a-word' }
  const bucket = new Bucket(options.isVersioned ?? false)
  const requests: string[] = []
  let disturbance: Disturbance | undefined
  const server = createServer(async (request, response) => {
    requests.push(
      `${request.method} ${decodeURIComponent((request.url ?? '').split('?')[0] ?? '').replace(`/${BUCKET}/`, '')}`,
    )
    if (disturbance?.(request, response)) return
    const answer = await answerTo(request, { bucket, keys, weak: options }).catch(refusal)
    response.writeHead(answer.status, { 'x-amz-request-id': '1', ...answer.headers })
    response.end(request.method === 'HEAD' ? undefined : answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: REGION,
    name: BUCKET,
    keys,
    bucket,
    requests,
    disturb: (how) => {
      disturbance = how
    },
    cut: () => server.closeAllConnections(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answerTo(
  request: IncomingMessage,
  { bucket, keys, weak }: { readonly bucket: Bucket; readonly keys: Keys; readonly weak: Weaknesses },
): Promise<S3Answer> {
  const body = await bodyOf(request)
  checkSignature(request, { body, keys, region: REGION, now: Date.now() })
  const [path = '', search = ''] = (request.url ?? '').split('?')
  const query = new URLSearchParams(search)
  const unknown = [...query.keys()].find((name) => !PARAMETERS.has(name))
  if (unknown !== undefined) throw new S3Error(501, 'NotImplemented', `the parameter ${unknown} is not implemented`)
  const [name = '', ...parts] = path.slice(1).split('/').map(decodeURIComponent)
  const key = parts.join('/')
  if (name !== BUCKET) throw new S3Error(404, 'NoSuchBucket')
  const { method = 'GET', headers } = request
  if (key !== '') return objectOperation(bucket, { method, key, query, headers, body }, weak)
  if (method !== 'GET' || query.get('list-type') !== '2') throw new S3Error(501, 'NotImplemented')
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: listObjects(bucket, name, query) }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > MAX_BODY_BYTES) throw new S3Error(400, 'EntityTooLarge')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function refusal(error: unknown): S3Answer {
  const said = error instanceof S3Error ? error : new S3Error(500, 'InternalError', String(error))
  return { status: said.status, headers: { 'content-type': 'application/xml' }, body: errorDocument(said) }
}
