import type { FileHandle } from 'node:fs/promises'
import type { JobStatus } from '../contract/enumerations.ts'
import type { Job } from '../contract/job.ts'
import type { JobRule } from '../contract/operation.ts'
import type { InputOf, OperationId, OutputOf, operations } from '../contract/operations.ts'
import type { Json, JsonObject } from '../core/json.ts'

/** The operations that answer with a list. */
type ListId = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly list: object } ? Id : never
}[OperationId]

type ItemsKey<Id extends ListId> = (typeof operations)[Id]['list']['items']

/** One item of a list. */
type ItemOf<Id extends ListId> =
  OutputOf<Id> extends { readonly [Key in ItemsKey<Id>]: readonly (infer Item)[] } ? Item : never

/** The filters of a list, without the paging, which the client does itself. */
type FilterOf<Id extends ListId> = Omit<InputOf<Id>, 'page' | 'pageSize'>

type GroupOf<Id extends OperationId> = Id extends `${infer Group}.${string}` ? Group : never

/** `client.segments.create(input)` and so on: one method per operation, as in the contract. */
type Methods = {
  readonly [Group in GroupOf<OperationId>]: {
    readonly [Id in Extract<OperationId, `${Group}.${string}`> as Id extends `${Group}.${infer Name}` ? Name : never]: (
      input: InputOf<Id>,
      options?: CallOptions,
    ) => Promise<OutputOf<Id>>
  }
}

/**
 * The Audience Data Service, as in the contract. 64-bit ids are decimal strings. A call throws ApiError, with the
 * outcome, if the request failed. It throws another AudienceError if the input violates the contract (`invalid-input`),
 * or if a token or a file is missing. In that case, nothing has taken effect.
 */
export interface ApiClient extends Methods {
  call<Id extends OperationId>(id: Id, input: InputOf<Id>, options?: CallOptions): Promise<OutputOf<Id>>
  /** All items of a list. Reads each page when it is needed. */
  items<Id extends ListId>(id: Id, input: FilterOf<Id>, options?: CallOptions): AsyncIterable<ItemOf<Id>>
  /** For callers that learn the operation at run time. The input is checked in the same way. */
  readonly untyped: {
    call(id: OperationId, input: unknown, options?: CallOptions): Promise<Json | undefined>
    items(id: OperationId, input: unknown, options?: CallOptions): AsyncIterable<JsonObject>
  }
  /**
   * Waits until the job has ended successfully. Throws `job-failed`, `job-unknown`, `job-timeout` or
   * `approval-timeout`. An abort ends the wait but not the job. All waits of a client share `limits.pollsPerSecond`.
   */
  waitForJob(jobId: string, options: WaitForJobOptions): Promise<Job>
  /**
   * The same client for the runs of a pipeline: it calls `beforeSend` before it sends anything except reads
   * (`CallOptions.beforeSend`).
   */
  guardedBy(beforeSend: BeforeSend, pipeline?: string): ApiClient
  /** Ends all calls in progress. They fail as interrupted. */
  close(): Promise<void>
}

export interface CallOptions {
  /** Ends the call. A request that was already sent may still take effect. A timeout signal sets a deadline. */
  signal?: AbortSignal
  /** Called just before each attempt goes out, after every wait, but not for reads. If it throws, the call ends. */
  beforeSend?: BeforeSend
  /**
   * Reports how much of an upload was handed to the connection, at most every 100 ms. A new attempt starts again at 0.
   */
  onSent?: (bytesSent: number, totalBytes: number) => void
  /** The name under which an upload is sent. The default is the name of the file. */
  uploadName?: string
  /** What the file of an upload must contain. Any other content is not sent. */
  uploadContent?: UploadContent
  /** Opens the file for each attempt of an upload. If absent, any file may be opened. */
  openFile?: (path: string) => Promise<FileHandle>
  /** The maximum number of attempts. The default is the client's limit. */
  maxAttempts?: number
  /** The pipeline whose run makes the call. It is passed to `onExchange`. */
  pipeline?: string | undefined
}

/** What a file contained when it was checked: its size, when it was written, and its SHA-256 in hex. */
interface UploadContent {
  readonly bytes: number
  readonly modifiedMs: number
  readonly sha256: string
}

/** All times are in milliseconds. */
export interface WaitForJobOptions extends JobTerms, Pick<CallOptions, 'pipeline' | 'signal'> {
  poll?: { initialMs?: number; maxMs?: number }
  /** The operation that started the job. If set, earlier jobs of this operation show which polls would be useless. */
  operation?: OperationId
}

/** The conditions that end the wait for a job. All times are in milliseconds. */
export interface JobTerms {
  /** How long the job may take, without the time that it waits for an approval. */
  readonly timeoutMs: number
  /** How long the job may wait for an approval. The default is `timeoutMs`. */
  readonly approvalTimeoutMs?: number
  /** The statuses that count as success. The default is only SUCCESS (decision 123). */
  readonly accept?: readonly JobStatus[]
  /** The id that a successful job must have. If set, a successful job without this id is read again (decision 139). */
  readonly resource?: JobRule['resource']
  /** Called with the first status and with each later one. */
  readonly onStatus?: (job: Job, waitedMs: number) => void
}

/**
 * The last check before a request goes out. To refuse, it throws or rejects. In that case, nothing is sent. A check
 * that answers synchronously is called again once the connection is ready. A check may also answer with a promise of a
 * function, which says whether the answer still holds. This function is called when the connection is ready. From then
 * until the request is on the wire, the code is synchronous.
 */
export type BeforeSend = () => undefined | Promise<() => boolean>
