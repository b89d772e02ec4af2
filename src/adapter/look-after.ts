import { type OperationId, operationOf, type operations } from '../contract/operations.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { ApiClient, CallOptions } from './api-client.ts'
import { ApiError, isNotFound } from './api-error.ts'

type Reads = ApiClient['untyped']

/**
 * Settles a repeatable write whose attempts are used up and whose outcome is unknown. If the service shows the effect
 * of the write, returns the answer. Otherwise throws the error.
 */
export async function lookAfter(
  error: unknown,
  write: { id: OperationId; input: unknown },
  reads: Reads,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<Json | undefined> {
  const { id, input } = write
  const isOpen = error instanceof ApiError && error.request.outcome === 'unknown' && error.kind !== 'interrupted'
  if (!isOpen || signal?.aborted || !isJsonObject(input)) throw error
  const seen = await look(id, input, reads, { signal }).catch(() => undefined)
  if (!seen) throw error
  return seen.answer
}

/** Whether the resource that a delete names is missing (decision 138). Throws the error of a read that fails. */
export async function isGone(
  id: OperationId,
  input: JsonObject,
  { call, items }: Reads,
  options: Pick<CallOptions, 'signal'>,
): Promise<boolean> {
  const reads: Readonly<Record<string, OperationId | undefined>> = READ_OF
  const read = reads[id]
  if (read === undefined) throw new Error(`${id} deletes nothing`)
  if (read !== 'files.list') return call(read, input, options).then(() => false, missing)
  const { file, ...bucket } = input
  for await (const { name } of items(read, bucket, options)) if (name === file) return false
  return true
}

type DeleteId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'DELETE' ? Id : never
}[OperationId]

/** The operation that shows whether a resource exists: a read with the same input, or the list of files. */
const READ_OF: { readonly [Id in DeleteId]: OperationId } = {
  'segments.delete': 'segments.get',
  'matches.delete': 'matches.get',
  'activations.delete': 'activations.get',
  'files.delete': 'files.list',
}

async function look(id: OperationId, input: JsonObject, reads: Reads, options: Pick<CallOptions, 'signal'>) {
  if (operationOf(id).method === 'DELETE') {
    return (await isGone(id, input, reads, options)) ? { answer: undefined } : undefined
  }
  if (id !== 'segments.update') return undefined
  const { id: segmentId, ...sent } = input
  const segment = await reads.call('segments.get', { id: segmentId }, options)
  return isJsonObject(segment) && showsAll(segment, sent) ? { answer: segment } : undefined
}

/** A field that the service does not show proves nothing. */
function showsAll(segment: JsonObject, sent: JsonObject): boolean {
  return Object.keys(sent).every((name) => name in segment && plain(segment[name]) === plain(sent[name]))
}

/** The service may show a cleared field as null or "", and a cleared flag as false (decisions 138 and 149). */
function plain(value: Json | undefined): Json | null {
  return value === undefined || value === '' || value === false ? null : value
}

function missing(error: unknown): true {
  if (isNotFound(error)) return true
  throw error
}
