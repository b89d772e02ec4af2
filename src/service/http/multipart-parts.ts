import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { ApiError } from '../api-error.ts'
import type { UploadPart } from '../call.ts'

/**
 * The most that is read of an upload, in bytes. What is too large is read on, so that the client gets the answer
 * (decision 108); for somebody who sends without end the connection ends, whether the answer arrives or not.
 */
const MAX_BODY_BYTES = 2 * MAX_UPLOAD_BYTES

export interface MultipartOptions {
  /** The one part that is known; others are refused where it is given, at the end of the body. */
  readonly only: string | undefined
}

/** The parts of a multipart request as they arrive. What is wrong with the body, a breaking off too, is a 400. */
export async function* multipartParts(request: FastifyRequest, { only }: MultipartOptions): AsyncGenerator<UploadPart> {
  const unknown = new Set<string>()
  let file: MultipartFile['file'] | undefined
  const endless = endlessBody(request)
  endless.catch((error: Error) => file?.destroy(error))
  for await (const part of refusing(request.parts(), endless)) {
    if (only !== undefined && part.fieldname !== only) unknown.add(part.fieldname)
    if (part.type === 'file') file = part.file
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

/** Rejects when more than the limit has arrived; the connection ends with the answer. */
function endlessBody({ raw }: FastifyRequest): Promise<never> {
  return new Promise<never>((_resolve, reject) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return
      raw.unpipe()
      const headers = { connection: 'close' }
      reject(new ApiError('invalid-request', `the body goes on after ${MAX_BODY_BYTES} bytes`, { headers }))
    })
  })
}

/** `endless` is for what comes seldom: a promise that lives long holds on to every value that it is raced with. */
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
