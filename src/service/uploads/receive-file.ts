import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MAX_UPLOAD_BYTES } from '../../contract/files.ts'
import { count, formatSizeLimit } from '../../core/format/figures.ts'
import { syncToDisk } from '../../platform/sync-to-disk.ts'
import { Refusal } from '../api-error.ts'
import type { UploadPart, UploadPartContent } from '../call.ts'

/**
 * Streams the only part, `file`, to `target`, which is on disk when the promise resolves. Reads everything before it
 * refuses, so that the client gets the answer (decision 108). If the upload fails or is cut off, `target` is removed.
 */
export async function receiveFile(
  parts: AsyncIterable<UploadPart>,
  target: string,
): Promise<{ name: string; bytes: number }> {
  try {
    const received = await receiveParts(parts, target)
    syncToDisk(dirname(target))
    return received
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}

async function receiveParts(
  parts: AsyncIterable<UploadPart>,
  target: string,
): Promise<{ name: string; bytes: number }> {
  let received: { name: string; bytes: number } | undefined
  let refusal: string | undefined
  let count = 0
  for await (const { name, content } of parts) {
    if (name !== 'file' || ++count > 1) {
      if (content) await discard(content)
      continue
    }
    const fileName = fileNameOf(content?.fileName)
    if ('problem' in fileName) {
      refusal = fileName.problem
      if (content) await discard(content)
    } else if (content) {
      received = { name: fileName.name, bytes: await write(content, target) }
      if (content.isTooLarge()) refusal = `must be at most ${formatSizeLimit(MAX_UPLOAD_BYTES)}`
    }
  }
  if (count > 1) refusal = 'must be given exactly once'
  if (refusal !== undefined) throw invalidPart(refusal)
  if (!received) throw invalidPart('is required')
  return received
}

function invalidPart(message: string): Refusal {
  return new Refusal('invalid-request', `file: ${message}`, { items: [{ parameter: 'file', message }] })
}

async function write(content: UploadPartContent, target: string): Promise<number> {
  let bytes = 0
  async function* counted() {
    for await (const chunk of content.bytes) {
      bytes += chunk.length
      yield chunk
      release(chunk)
    }
  }
  await using file = await open(target, 'wx', 0o600)
  await file.writeFile(counted())
  await file.sync()
  return bytes
}

/**
 * Frees the memory of a written chunk immediately. The garbage collector sees a chunk as a small object, so it would
 * let about fifty megabytes of chunks accumulate. If a chunk shares its memory with others, the garbage collector frees
 * it.
 */
function release({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

async function discard(content: UploadPartContent): Promise<void> {
  for await (const _chunk of content.bytes) {
    // The content is read but not used.
  }
}

/** The longest name that a segment can refer to (decision 109). */
const MAX_LENGTH = 100

/**
 * Returns the name for an upload: the client's file name without folders. If this name is not allowed, returns the
 * reason (decision 109).
 */
function fileNameOf(sent: string | undefined): { name: string } | { problem: string } {
  if (sent === undefined) return { problem: 'must have a file name' }
  const name = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1)
  if (name.trim() === '') return { problem: 'must have a file name that is not blank' }
  if (name === '.' || name === '..') return { problem: `must have a file name, not ${JSON.stringify(name)}` }
  if (/\p{Cc}/u.test(name)) return { problem: 'must have a file name without control characters' }
  if (name.length > MAX_LENGTH) return { problem: `must have a file name of at most ${count(MAX_LENGTH, 'character')}` }
  return { name }
}
