import { formatSizeLimit } from '../core/format/figures.ts'

/**
 * The text of an answer from `fetch`. Rejects as soon as it is longer than the limit, counted after decompression,
 * because a sender may never stop.
 */
export async function boundedText({ body }: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  // Leaving the loop ends the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${formatSizeLimit(maxBytes)}`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
