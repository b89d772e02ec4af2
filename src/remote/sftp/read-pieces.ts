import { REQUEST, STATUS } from './packets.ts'
import { type SftpConnection, unexpected, withSignal } from './sftp-connection.ts'

/** Every server of version 3 can put this much into one answer. */
const PIECE_BYTES = 32_768
/**
 * How many pieces are requested at a time. If they were requested one after the other, each piece would take a round
 * trip.
 */
const IN_FLIGHT = 16

/**
 * The content of an open file up to a size, in order. It ends early if the file does. A server may answer with less
 * than was requested; the rest is then requested again.
 */
export async function* readPieces(
  connection: SftpConnection,
  handle: Buffer,
  { size, signal }: { size: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const pieces: { readonly length: number; readonly data: Promise<Buffer> }[] = []
  let next = 0
  const ask = () => {
    const length = Math.min(PIECE_BYTES, size - next)
    const data = readPiece(connection, handle, { at: next, length, signal })
    // If an earlier piece fails, nobody waits for this one.
    data.catch(() => undefined)
    pieces.push({ length, data })
    next += length
  }
  for (;;) {
    while (next < size && pieces.length < IN_FLIGHT) ask()
    const first = pieces.shift()
    if (!first) return
    const data = await withSignal(signal, first.data)
    if (data.length > 0) yield data
    if (data.length < first.length) return
  }
}

/** As much as was requested, unless the file ends before that. */
async function readPiece(
  connection: SftpConnection,
  handle: Buffer,
  { at, length, signal }: { at: number; length: number; signal: AbortSignal },
): Promise<Buffer> {
  const parts: Buffer[] = []
  let read = 0
  while (read < length) {
    signal.throwIfAborted()
    const answer = await connection.request(REQUEST.read, handle, BigInt(at + read), length - read)
    if (answer.kind === 'status' && answer.code === STATUS.eof) break
    // An answer with more than was requested is not the content of this piece.
    if (answer.kind !== 'data' || answer.data.length === 0 || answer.data.length > length - read)
      throw unexpected(answer, 'the rest of the file cannot be read')
    parts.push(answer.data)
    read += answer.data.length
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}
