import type { FileHandle } from 'node:fs/promises'

/** Larger pieces are not read faster. */
const MOST_BYTES = 1 << 20
/** For some files, such as those of /proc, the system reports a size of 0 although they have content. */
const LEAST_BYTES = 1 << 12

/**
 * The pieces of an open file from its current position, up to 1 MiB each. A piece is only valid until the next one is
 * read: all are in one buffer. The buffer is small for small files, because V8 collects the whole heap after 32 MB of
 * buffers. Throws the reason of the signal once it is aborted.
 */
export async function* readChunks(file: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const { size } = await file.stat()
  // A read that asks for one byte more than the file contains shows where the file ends.
  const buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(size + 1, LEAST_BYTES), MOST_BYTES))
  for (;;) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}
