import { createSealing, NO_SECRETS, openedRecord } from '../core/create-sealing.ts'
import { AudienceError, type ErrorReport } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunRecord, StoredRecord } from '../core/run.ts'
import type { Sealing } from '../core/sealing.ts'
import type { Secrets } from '../core/secrets.ts'
import { visibleEnv } from '../core/visible-env.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The sealings of documents. Many runs have the same document. */
const ofDocuments = new WeakMap<object, { readonly env: Env; readonly sealing: Sealing }>()

/** The sealing for the runs of a document. */
export function sealingOf(pipeline: Pick<Pipeline, 'env'>, env: Env): Sealing {
  if (pipeline.env.length === 0) return NO_SECRETS
  const known = ofDocuments.get(pipeline)
  if (known?.env === env) return known.sealing
  const sealing = createSealing(visibleEnv(pipeline, env))
  ofDocuments.set(pipeline, { env, sealing })
  return sealing
}

/** Records as they were before they were stored. Throws `env-missing` if the process lacks a variable in them. */
export function openRecords(
  runId: string,
  records: readonly StoredRecord[],
  sealing: Pick<Sealing, 'open'>,
): readonly StoredRecord[] {
  return records.map((stored) =>
    openedRecord(stored, sealing, (name) => {
      throw envMissing(runId, name)
    }),
  )
}

/**
 * The record without secrets in what leaves the run. Secrets of all documents are removed from errors, which people
 * read; secrets of its own document are removed from its outputs, which other runs may get. The run itself reads its
 * own record only afterwards, so a resumed run reads the same.
 */
export function cleanRecord(
  record: RunRecord,
  sealing: Sealing,
  redactData: Secrets['redactData'] | undefined,
): RunRecord {
  if (record.type === 'run.finished' && record.outputs && sealing !== NO_SECRETS)
    return { ...withCleanError(record, redactData), outputs: NO_SECRETS.open(sealing.seal(record.outputs)) }
  return 'error' in record ? withCleanError(record, redactData) : record
}

/** Only its words for people change: its code is not a secret, even if a secret is the same word. */
function withCleanError<R extends { readonly error?: ErrorReport }>(
  record: R,
  redactData: Secrets['redactData'] = (data) => data,
): R {
  if (!record.error) return record
  const { request, ...error } = record.error
  const words = { message: error.message, hint: error.hint }
  if (!request) return { ...record, error: { ...error, ...redactData(words) } }
  const { path, requestId, detail } = request
  const clean = redactData({ words, said: { path, requestId, detail } })
  return { ...record, error: { ...error, ...clean.words, request: { ...request, ...clean.said } } }
}

/** Whether a run cannot go on because this process lacks a variable that its records refer to. */
export function isEnvMissing(error: unknown): error is AudienceError {
  return error instanceof AudienceError && error.code === ENV_MISSING
}

const ENV_MISSING = 'env-missing'

function envMissing(runId: string, name: string): AudienceError {
  return new AudienceError({
    code: ENV_MISSING,
    kind: 'failed',
    message: `run ${runId} has used the environment variable ${name}, which this process cannot read`,
    hint: `set ${name}, and name it in policy.env of audience.yaml if there is such a list; then the run goes on`,
  })
}
