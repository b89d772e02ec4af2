import type { InputOf, OperationId, OutputOf } from '../contract/operations.ts'
import type { Clock } from '../core/clock.ts'
import type { JobRunner } from './jobs/job.ts'
import type { Network, Participant } from './network/network.ts'
import type { BlobFolders } from './storage/blob-folders.ts'
import type { Store } from './storage/store.ts'

/** The context that all handlers share. */
export interface ServiceContext {
  readonly network: Network
  readonly store: Store
  readonly blobs: BlobFolders
  readonly runner: Pick<JobRunner, 'wake'>
  readonly clock: Clock
  /** Makes a new unique name that is safe in paths and in file names. */
  newId(): string
}

/** One request that fits the contract. */
export interface ServiceCall extends ServiceContext {
  readonly caller: Participant
  /** The parts of a multipart body. Only uploads have parts. */
  readonly parts: () => AsyncIterable<UploadPart>
}

/** A part of a multipart body. If the part has content, the handler must read it to the end. */
export interface UploadPart {
  readonly name: string
  readonly content: UploadPartContent | undefined
}

export interface UploadPartContent {
  /** As the client sent it; undefined if it sent none. */
  readonly fileName: string | undefined
  /** The content. If it exceeds the maximum size of an upload, it ends early and `isTooLarge` becomes true. */
  readonly bytes: AsyncIterable<Uint8Array>
  isTooLarge(): boolean
}

/** The implementation of an operation. Throws Refusal for errors that the caller may read. */
export type OperationHandler<Id extends OperationId> = (
  call: ServiceCall,
  input: InputOf<Id>,
) => OutputOf<Id> | Promise<OutputOf<Id>>

/** One handler for each of these operations. A missing handler is a type error. */
export type OperationHandlers<Ids extends OperationId = OperationId> = { readonly [Id in Ids]: OperationHandler<Id> }

/** The operations of one resource, such as `segments`. */
export type OperationsOf<Resource extends string> = Extract<OperationId, `${Resource}.${string}`>
