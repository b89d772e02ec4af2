import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { ApiError } from '../api-error.ts'
import type { UploadPart } from '../call.ts'

/**
 * The most that is read of an upload, in bytes. What is too large is read on, so that the client gets the answer
 * (decision 108); somebody who sends without end gets it all the same, and the connection ends.
 */
const MAX_BODY_BYTES = 2 * MAX_UPLOAD_BYTES

export interface MultipartOptions {
  /** The one part that is known; others are refused where it is given, at the end of the body. */
  readonly only: string | undefined
}

/** The parts of a multipart request as they arrive. What is wrong with the body, a breaking off too, is a 400. */
export async function* multipartParts(request: FastifyRequest, { only }: MultipartOptions): AsyncGenerator<UploadPart> {
  const unknown = new Set<string>()
  const endless = endlessBody(request)
  for await (const part of refusing(request.parts(), endless)) {
    if (only !== undefined && part.fieldname !== only) unknown.add(part.fieldname)
    yield { name: part.fieldname, content: part.type === 'file' ? contentOf(part) : undefined }
  }
  if (unknown.size > 0) {
    const items = [...unknown].map((parameter) => ({ parameter, message: 'is not known here' }))
    throw new ApiError('invalid-request', items.map((item) => `${item.parameter} ${item.message}`).join('; '), {
      items,
    })
  }
}

function contentOf(part: MultipartFile) {
  return {
    // A part of a binary type is content even without a file name, whatever the declared type says.
    fileName: (part.filename as string | undefined) || undefined,
    bytes: refusing<Uint8Array>(part.file),
    isTooLarge: () => part.file.truncated,
  }
}

/**
 * Rejects when more than the limit has arrived; the connection ends with the answer. To be awaited between parts alone:
 * a file's own size is limited, and a promise that lives so long would hold on to every chunk that it is raced with.
 */
function endlessBody({ raw }: FastifyRequest): Promise<never> {
  const endless = new Promise<never>((_resolve, reject) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return
      raw.unpipe()
      reject(
        new ApiError('invalid-request', `the body goes on after ${MAX_BODY_BYTES} bytes`, {
          headers: { connection: 'close' },
        }),
      )
    })
  })
  endless.catch(() => undefined)
  return endless
}

async function* refusing<T>(source: AsyncIterable<T>, endless?: Promise<never>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  while (true) {
    const next = await (endless ? Promise.race([iterator.next(), endless]) : iterator.next()).catch(
      (error: unknown) => {
        if (error instanceof ApiError) throw error
        throw new ApiError('invalid-request', `the multipart body cannot be read: ${messageOf(error)}`)
      },
    )
    if (next.done) return
    yield next.value
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
