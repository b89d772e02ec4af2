import { codeOf } from '../../core/code-of.ts'
import { AudienceError } from '../../core/errors.ts'
import { printable } from '../../core/printable.ts'
import { remoteError } from '../../core/remote-error.ts'
import type { S3Config } from '../../core/remote-source.ts'

/** Refusals that a call can handle. */
export type S3Refusal = 'missing' | 'changed'

const WRONG_REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
])

/**
 * Whether the store says that the object does not exist, or has another version; undefined if it says anything else.
 */
export function refusalOf(error: unknown): S3Refusal | undefined {
  const { status, code } = saidBy(error)
  if (status === 404 && code !== 'NoSuchBucket') return 'missing'
  return status === 412 ? 'changed' : undefined
}

/**
 * The error for a failed call. The store's messages are left out, because a store may send back what it received, with
 * a token in it.
 */
export function s3Failure(
  error: unknown,
  { config, what, act }: { config: S3Config; what: string; act: 'read' | 'write' },
): AudienceError {
  if (error instanceof AudienceError) return error
  const place = bucketPlace(config)
  const { name, status, code } = saidBy(error)
  if (/CredentialsProviderError|TokenProviderError/.test(name)) {
    return remoteError('source-access-refused', {
      message: `there are no credentials for ${place}`,
      hint: 'name variables with accessKeyIdEnv and secretAccessKeyEnv, or give the process credentials where the AWS SDK looks for them',
    })
  }
  if (status === undefined || status < 300) return notReached(error, place, status)
  const message = `${printable(what).slice(0, 300)}: ${place} says ${code === undefined ? status : `"${code}"`}`
  if (code === 'NoSuchBucket') {
    const hint = 'check bucket, endpoint and pathStyle in audience.yaml'
    return remoteError('source-folder-missing', { message: `there is no ${place}`, hint })
  }
  if (status < 400 || (code !== undefined && WRONG_REGION.has(code)))
    return remoteError('source-access-refused', { message, hint: 'check region and endpoint in audience.yaml' })
  if (act === 'write' && ((status === 403 && (code === undefined || code === 'AccessDenied')) || isNotDone(status))) {
    const hint = 'let this account copy, delete and tag objects of the bucket, or write done: keep'
    return remoteError('source-read-only', { message, hint })
  }
  if (status === 401 || status === 403) {
    const hint =
      'check the key, its region and the clock of this machine; the account needs s3:ListBucket and s3:GetObject'
    return remoteError('source-access-refused', { message, hint })
  }
  return remoteError('source-unreachable', { message, hint: 'this will be retried automatically' })
}

/** `the bucket drops at minio.example.com`, for people. */
export function bucketPlace({ bucket, region, endpoint }: S3Config): string {
  return `the bucket ${bucket} ${endpoint === undefined ? `in ${region}` : `at ${new URL(endpoint).host}`}`
}

function notReached(error: unknown, place: string, status: number | undefined): AudienceError {
  const code = codeOf(error)
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code ?? '')) {
    return remoteError('source-unreachable', {
      message: `the certificate of ${place} is not trusted: ${code}`,
      hint: 'if the store uses your own certificate authority, name the certificate of that authority with caFile',
    })
  }
  const isKnown = code !== undefined && /^[A-Z][A-Z_]{2,40}$/.test(code)
  const nonsense = status === undefined ? 'the connection ended' : 'its answer makes no sense'
  const why = isLate ? 'it has not answered in time' : isKnown ? code : nonsense
  return remoteError('source-unreachable', {
    message: `${place} cannot be reached: ${why}`,
    hint: 'check the network and the address; this will be retried automatically',
  })
}

/** A store that does not support a call, or tags, answers with one of these. */
function isNotDone(status: number): boolean {
  return status === 400 || status === 405 || status === 501
}

function saidBy(error: unknown): { readonly name: string; readonly status?: number; readonly code?: string } {
  if (!(error instanceof Error)) return { name: '' }
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }
  const isCode =
    /^[A-Za-z][A-Za-z0-9.]{0,59}$/.test(error.name) && !['Error', 'UnknownError', 'Unknown'].includes(error.name)
  return { name: error.name, status: $metadata?.httpStatusCode, code: isCode ? error.name : undefined }
}
