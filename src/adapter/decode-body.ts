import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'

interface DecodedBody {
  readonly text: string
  /** Set if there is no text: the bytes cannot be decoded, or their text exceeds the limit. */
  readonly flaw?: string
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const inflated: Decode = promisify(inflate)
const rawInflated: Decode = promisify(inflateRaw)

/** Some servers send `deflate` without the zlib header that RFC 9110 requires. */
const deflated: Decode = (bytes, options) =>
  inflated(bytes, options).catch((error: unknown) => {
    if (isTooLarge(error)) throw error
    return rawInflated(bytes, options)
  })

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: deflated,
  zstd: promisify(zstdDecompress),
}

/**
 * A server and a proxy compress at most once each. Each further layer may take as much memory as the limit, and a
 * header can name thousands of layers.
 */
const MAX_ENCODINGS = 3

/**
 * Returns the text of a body. The client does not request these encodings, but can read them (decision 142). The limit
 * applies to the decoded text, so that a small answer cannot use up the memory.
 */
export async function decodeBody(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  if (encoding === undefined || bytes.length === 0) return { text: bytes.toString() }
  const names = String(encoding)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > MAX_ENCODINGS) return { text: '', flaw: `it is encoded ${names.length} times` }
  let decoded = bytes
  // The encodings were applied in the order in which they are named, so the last one is decoded first.
  for (const name of names.reverse()) {
    const decode = DECODERS[name]
    if (!decode) return { text: '', flaw: `it is encoded as ${JSON.stringify(name)}, which was not requested` }
    try {
      decoded = await decode(decoded, { maxOutputLength: maxBytes })
    } catch (error) {
      return { text: '', flaw: isTooLarge(error) ? TOO_LARGE : `it says that it is ${name}, but it is not` }
    }
  }
  return { text: decoded.toString() }
}

/** The flaw of an answer that exceeds `maxResponseBytes`. */
export const TOO_LARGE = 'it is larger than the limit'

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError
}
