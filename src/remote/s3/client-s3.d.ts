/**
 * The parts of the AWS SDK that are used. The package is optional, and everything compiles without it. Its own types
 * are never checked, so test/remote/s3 runs each of these calls with the real package.
 */
declare module '@aws-sdk/client-s3' {
  import type { Agent as HttpAgent } from 'node:http'
  import type { Agent as HttpsAgent } from 'node:https'
  import type { Readable } from 'node:stream'

  interface Client {
    readonly region: string
    readonly endpoint?: string
    readonly ignoreConfiguredEndpointUrls: boolean
    readonly forcePathStyle: boolean
    readonly followRegionRedirects: boolean
    readonly requestChecksumCalculation: 'WHEN_REQUIRED'
    readonly responseChecksumValidation: 'WHEN_REQUIRED'
    readonly maxAttempts: number
    readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
    readonly requestHandler: {
      readonly httpAgent: HttpAgent
      readonly httpsAgent: HttpsAgent
      readonly connectionTimeout: number
    }
  }

  type Next = (given: unknown) => Promise<{ readonly response: unknown }>

  export class S3Client {
    constructor(config: Client)
    readonly middlewareStack: {
      add(
        middleware: (next: Next, context: { commandName?: string }) => Next,
        where: { step: 'deserialize'; priority: 'low'; name: string },
      ): void
    }
    send<Answer>(command: Command<Answer>, options?: { abortSignal?: AbortSignal }): Promise<Answer>
    destroy(): void
  }

  /** `Answer` exists only in the types. */
  abstract class Command<Answer> {
    readonly input: object
    private readonly answer?: Answer
  }

  interface Place {
    readonly Bucket: string
    readonly Key: string
  }

  interface VersionAnswer {
    readonly VersionId?: string
  }

  interface TagSet {
    readonly TagSet?: readonly { readonly Key?: string; readonly Value?: string }[]
  }

  interface ListAnswer {
    readonly Contents?: readonly {
      readonly Key?: string
      readonly Size?: number
      readonly LastModified?: Date
      readonly ETag?: string
    }[]
    readonly CommonPrefixes?: readonly { readonly Prefix?: string }[]
    readonly EncodingType?: string
    readonly IsTruncated?: boolean
    readonly NextContinuationToken?: string
  }

  interface HeadAnswer extends VersionAnswer {
    readonly ContentLength?: number
    readonly LastModified?: Date
    readonly ETag?: string
  }

  export class ListObjectsV2Command extends Command<ListAnswer> {
    constructor(input: {
      Bucket: string
      Prefix?: string
      Delimiter?: string
      EncodingType?: 'url'
      MaxKeys?: number
      ContinuationToken?: string
    })
  }

  export class HeadObjectCommand extends Command<HeadAnswer> {
    constructor(input: Place)
  }

  export class GetObjectCommand extends Command<
    HeadAnswer & { readonly Body?: Readable; readonly ContentRange?: string }
  > {
    constructor(input: Place & { IfMatch?: string })
  }

  export class CopyObjectCommand extends Command<VersionAnswer> {
    constructor(input: Place & { CopySource: string; CopySourceIfMatch?: string; IfNoneMatch?: '*' })
  }

  export class DeleteObjectCommand extends Command<VersionAnswer & { readonly DeleteMarker?: boolean }> {
    constructor(input: Place & { IfMatch?: string; VersionId?: string })
  }

  export class GetObjectTaggingCommand extends Command<TagSet> {
    constructor(input: Place & { VersionId?: string })
  }

  export class PutObjectTaggingCommand extends Command<VersionAnswer> {
    constructor(input: Place & { VersionId?: string; Tagging: TagSet })
  }
}
