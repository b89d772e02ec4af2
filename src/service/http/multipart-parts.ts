import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { formatSizeLimit } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'
import { invalidInput, Refusal } from '../api-error.ts'
import type { UploadPart } from '../call.ts'

/**
 * The maximum number of bytes that are read from an upload. If a body is too large, the rest is still read, so that the
 * client gets the answer (decision 108). If the client does not stop sending, the connection ends, even if the answer
 * does not arrive.
 */
const MAX_BODY_BYTES = 2 * MAX_UPLOAD_BYTES

/**
 * The parts of a multipart request as they arrive. Any problem, even a broken connection, is a 400. `only`: the only
 * known part; others are refused at the end of the body. If undefined, no part is refused.
 */
export async function* multipartParts(request: FastifyRequest, only: string | undefined): AsyncGenerator<UploadPart> {
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
    throw invalidInput([...unknown].map((parameter) => ({ parameter, message: 'is not known here' })))
  }
}

function contentOf(part: MultipartFile) {
  return {
    // A part with a binary type is content even if it has no file name.
    fileName: (part.filename as string | undefined) || undefined,
    bytes: refusing<Uint8Array>(part.file),
    isTooLarge: () => part.file.truncated,
  }
}

/** Rejects when more bytes than the limit have arrived. The connection ends with the answer. */
function endlessBody({ raw }: FastifyRequest): Promise<never> {
  return new Promise<never>((_resolve, reject) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_BODY_BYTES) return
      raw.unpipe()
      const headers = { connection: 'close' }
      reject(new Refusal('invalid-request', `the body has more than ${formatSizeLimit(MAX_BODY_BYTES)}`, { headers }))
    })
  })
}

/**
 * Turns errors from the parser into refusals. Pass `endless` only for rare events: a long-lived promise keeps a
 * reference to every value that it is raced with.
 */
async function* refusing<T>(source: AsyncIterable<T>, endless?: Promise<never>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  while (true) {
    const next = await (endless ? Promise.race([iterator.next(), endless]) : iterator.next()).catch(
      (error: unknown) => {
        if (error instanceof Refusal) throw error
        throw new Refusal('invalid-request', `the multipart body cannot be read: ${messageOf(error)}`)
      },
    )
    if (next.done) return
    yield next.value
  }
}
