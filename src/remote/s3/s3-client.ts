import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { pipeline, Readable, Transform } from 'node:stream'
import { rootCertificates } from 'node:tls'
import type { S3Client } from '@aws-sdk/client-s3'
import { packageMissing } from '../../core/package-missing.ts'
import { remoteError } from '../../core/remote-error.ts'
import type { S3Config } from '../../core/remote-source.ts'
import { proxiesIn, proxyFor } from '../../platform/proxies.ts'

/** The size limit of responses other than the content of a file: a page of a listing has about 1 MB. */
const MAX_ANSWER_BYTES = 8 * 2 ** 20
/** Enough for four downloads and other requests at the same time. */
const MAX_CONNECTIONS = 16
const CONNECT_MS = 20_000

export type Environment = Readonly<Record<string, string | undefined>>

export type S3Sdk = typeof import('@aws-sdk/client-s3')

export async function loadS3Sdk(): Promise<S3Sdk> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    throw packageMissing('@aws-sdk/client-s3', error)
  }
}

/** A client for the bucket. It has not connected yet. */
export async function openS3Client({ S3Client }: S3Sdk, config: S3Config, env: Environment): Promise<S3Client> {
  const { region, endpoint, pathStyle } = config
  const proxy = proxyFor(new URL(endpoint ?? `https://s3.${region}.amazonaws.com`), proxiesIn(env))?.url.href
  const agent = { keepAlive: true, maxSockets: MAX_CONNECTIONS, proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }
  const client = new S3Client({
    region,
    endpoint,
    // The address may come only from audience.yaml.
    ignoreConfiguredEndpointUrls: true,
    forcePathStyle: pathStyle,
    followRegionRedirects: false,
    // MinIO and GCS refuse what the SDK would otherwise add to each request.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    credentials: credentialsOf(config, env),
    requestHandler: {
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ca: await authorities(config) }),
      connectionTimeout: CONNECT_MS,
    },
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (given) => {
        const result = await next(given)
        limitAnswer(result.response as { readonly statusCode: number; body: unknown }, commandName)
        return result
      },
    { step: 'deserialize', priority: 'low', name: 'limitAnswer' },
  )
  return client
}

/** The SDK reads every response into memory, except for the content of a file. */
function limitAnswer(response: { statusCode: number; body: unknown }, command: string | undefined): void {
  const { body } = response
  if (!(body instanceof Readable) || (command === 'GetObjectCommand' && response.statusCode < 300)) return
  let length = 0
  const limited = new Transform({
    transform(piece: Buffer, _, done) {
      length += piece.length
      done(length > MAX_ANSWER_BYTES ? new RangeError('the answer is too long') : null, piece)
    },
  })
  response.body = pipeline(body, limited, () => undefined)
}

function credentialsOf({ keys }: S3Config, env: Environment) {
  if (!keys) return undefined
  const [accessKeyId, secretAccessKey] = [keys.accessKeyIdEnv, keys.secretAccessKeyEnv].map((name) => {
    const value = env[name]?.trim()
    if (value) return value
    const message = `the environment variable ${name} is not set, so there is no key for the bucket`
    throw remoteError('source-access-refused', { message, hint: `set ${name}` })
  })
  return { accessKeyId: accessKeyId as string, secretAccessKey: secretAccessKey as string }
}

async function authorities({ caFile }: S3Config): Promise<string[] | undefined> {
  if (caFile === undefined) return undefined
  const own = await readFile(caFile, 'utf8').catch(() => undefined)
  if (own?.includes('-----BEGIN CERTIFICATE-----')) return [...rootCertificates, own]
  throw remoteError('source-access-refused', {
    message: `there is no certificate in ${caFile}, or this process may not read it`,
    hint: 'caFile must be a file with the certificate of the authority, in PEM',
  })
}
