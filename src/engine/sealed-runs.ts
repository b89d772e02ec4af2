import { createSealing, NO_SECRETS, openedRecord } from '../core/create-sealing.ts'
import { AudienceError, type ErrorReport, failedError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunRecord, StoredRecord } from '../core/run.ts'
import type { Sealing } from '../core/sealing.ts'
import type { Secrets } from '../core/secrets.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { foldRecords, type RunState } from '../runs/run-state.ts'
import type { SentMessage } from '../state/run-history.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The sealing for each document. Many runs have the same document. */
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

/** A run as its driver needs it. */
interface OpenedRun {
  /** The records as they were before they were stored. */
  readonly records: readonly StoredRecord[]
  readonly sealing: Sealing
}

/**
 * Opens the stored records of a run. Throws `env-missing` if the process lacks a variable that the records refer to.
 * But if one of the `sent` messages or a record cancels the run, and no remaining step runs despite the cancellation,
 * the run can end without the variable. Its records then keep their references.
 */
export function openRun(
  runId: string,
  stored: readonly StoredRecord[],
  { pipeline, env, sent = [] }: { pipeline: Pipeline; env: Env; sent?: readonly SentMessage[] },
): OpenedRun {
  const sealing = sealingOf(pipeline, env)
  try {
    const missing = (name: string) => {
      throw envMissing(runId, name)
    }
    return { records: stored.map((one) => openedRecord(one, sealing, missing)), sealing }
  } catch (error) {
    if (!isEnvMissing(error) || !onlyEnds(foldRecords(stored), pipeline, isCancelledBy(sent, runId))) throw error
    return { records: stored, sealing: AS_STORED }
  }
}

/** Whether a message cancels the run. */
function isCancelledBy(sent: readonly SentMessage[], id: string): boolean {
  return sent.some(({ runId, message }) => runId === id && message.kind === 'cancel')
}

function onlyEnds({ steps, cancelRequested }: RunState, pipeline: Pipeline, isCancelled: boolean): boolean {
  const runsNevertheless = pipeline.finally.length > 0 || pipeline.onFailure.some(({ id }) => steps.has(id))
  return (isCancelled || cancelRequested === true) && !runsNevertheless
}

const AS_STORED: Sealing = { changes: () => false, seal: (data) => data, open: (data) => data }

/**
 * The record, without secrets in the parts that leave the run. Secrets of all documents are removed from errors, which
 * people read. Secrets of the run's own document are removed from its outputs, which other runs may get. The run itself
 * sees its own record only in this form, so a resumed run sees the same.
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

/** Redacts the texts of an error and of its request, but not the code, which may equal a secret without being one. */
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
  return failedError(
    ENV_MISSING,
    `run ${runId} has used the environment variable ${name}, which this process cannot read`,
    `set ${name}; if audience.yaml has a policy.env list, add ${name} to it; then the run continues`,
  )
}
