import type { InputOf, OperationId, OutputOf } from '../contract/operations.ts'
import type { Clock } from '../core/clock.ts'
import type { JobRunner } from './jobs/job-runner.ts'
import type { Network, Participant } from './network/network.ts'
import type { BlobFolders } from './storage/blob-folders.ts'
import type { Store } from './storage/store.ts'

/** What all handlers work with. */
export interface ServiceContext {
  readonly network: Network
  readonly store: Store
  readonly blobs: BlobFolders
  readonly runner: Pick<JobRunner, 'wake'>
  readonly clock: Clock
  /** A new name that nothing else has, safe in paths and in file names. */
  newId(): string
}

/** One request, after it was found to fit the contract. */
export interface Call extends ServiceContext {
  readonly caller: Participant
  /** The parts of a multipart body; only an upload has any. */
  readonly parts: () => AsyncIterable<UploadPart>
}

/** A part of a multipart body; a part with content has to be read to its end. */
export interface UploadPart {
  readonly name: string
  readonly content: UploadContent | undefined
}

export interface UploadContent {
  /** As the client sent it; undefined when it sent none. */
  readonly fileName: string | undefined
  /** Ends early, with `isTooLarge` then true, at the largest size of an upload. */
  readonly bytes: AsyncIterable<Uint8Array>
  isTooLarge(): boolean
}

/** What the service does for an operation. Throws ApiError for what the caller gets to read. */
export type Handler<Id extends OperationId> = (call: Call, input: InputOf<Id>) => OutputOf<Id> | Promise<OutputOf<Id>>

/** A handler for each of some operations: a missing one is a type error. */
export type Handlers<Ids extends OperationId = OperationId> = { readonly [Id in Ids]: Handler<Id> }

/** The operations of one resource, such as `segments`. */
export type OperationsOf<Resource extends string> = Extract<OperationId, `${Resource}.${string}`>
