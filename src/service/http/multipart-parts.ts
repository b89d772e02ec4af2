import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../api-error.ts'
import type { UploadPart } from '../call.ts'

/** The parts of a multipart request as they arrive. What is wrong with the body, a breaking off too, is a 400. */
export async function* multipartParts(request: FastifyRequest): AsyncGenerator<UploadPart> {
  for await (const part of refusing(request.parts())) {
    yield { name: part.fieldname, content: part.type === 'file' ? contentOf(part) : undefined }
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

async function* refusing<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  while (true) {
    const next = await iterator.next().catch((error: unknown) => {
      throw new ApiError('invalid-request', `the multipart body cannot be read: ${messageOf(error)}`)
    })
    if (next.done) return
    yield next.value
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
