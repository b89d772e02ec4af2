/**
 * Says, in words for people, what kind of file this is if it is not a list: a binary format, or a page from a server.
 * Undefined if the file may be text with rows. Looks at the first bytes, and ignores the name of the file.
 */
export function foreignFormat(prefix: Uint8Array): string | undefined {
  const bytes = Buffer.from(prefix.buffer, prefix.byteOffset, prefix.length)
  const magic = bytes.toString('latin1', 0, 16)
  const [, known] = MAGIC.find(([start]) => magic.startsWith(start)) ?? []
  if (known !== undefined) return known
  if (bytes.toString('latin1', 257, 262) === 'ustar') return 'a tar archive: unpack it, and give a file from it'
  const binary = binaryFormat(bytes.subarray(0, SAMPLE_BYTES))
  if (binary !== undefined) return binary
  const text = bytes.toString('utf8', 0, SAMPLE_BYTES).replace(/^\ufeff/, '')
  const [, page] = PAGES.find(([start]) => start.test(text)) ?? []
  return page
}

const SAMPLE_BYTES = 4096
const UTF_16 = 'UTF-16, not UTF-8: save it as "CSV UTF-8"'

const MAGIC: readonly [start: string, name: string][] = [
  ['\xff\xfe', UTF_16],
  ['\xfe\xff', UTF_16],
  ['PK\x03\x04', 'a ZIP archive or an Excel workbook (.xlsx): unpack it, or export the sheet as CSV'],
  ['PK\x05\x06', 'a ZIP archive without files'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook (.xls): export the sheet as CSV'],
  ['\x1f\x8b', 'gzip'],
  ['\x28\xb5\x2f\xfd', 'Zstandard'],
  ['BZh', 'bzip2: unpack it, or pack it with gzip or Zstandard'],
  ['\xfd7zXZ\x00', 'xz: unpack it, or pack it with gzip or Zstandard'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive: unpack it'],
  ['Rar!\x1a', 'a RAR archive: unpack it'],
  ['\x04\x22\x4d\x18', 'LZ4: unpack it, or pack it with gzip or Zstandard'],
  ['%PDF-', 'a PDF document'],
  ['Obj\x01', 'an Avro file: write Parquet, CSV or NDJSON'],
  ['ORC', 'an ORC file: write Parquet, CSV or NDJSON'],
  ['ARROW1', 'an Arrow file: write Parquet, CSV or NDJSON'],
  ['SQLite format 3\x00', 'an SQLite database'],
  ['-----BEGIN PGP', 'encrypted with PGP: decrypt it'],
  ['{\\rtf', 'a text document (RTF): save it as plain text'],
]

/** Pages that a server or a program sends instead of a file. */
const PAGES: readonly [start: RegExp, name: string][] = [
  [
    /^\s*<(?:!doctype|\?xml|!--|html|head|body|title|error|errors|response|soap:|script|center|h1|p|pre|div)\b[^@]{0,400}?>/i,
    'an HTML or XML page, such as servers send instead of a file',
  ],
  [/^\s*\[\s*(?:[{"\]]|$)/, 'a JSON array: write one object per line (NDJSON)'],
]

/** Text has few control characters; UTF-16 of European languages has a NUL in every second byte. */
function binaryFormat(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined
  const share = (is: (byte: number, at: number) => boolean) => bytes.filter(is).length / bytes.length
  if (share((byte) => byte < 9 || (byte > 13 && byte < 32)) < CONTROL_SHARE) return undefined
  const nulls = [0, 1].map((parity) => share((byte, at) => byte === 0 && at % 2 === parity))
  return Math.max(...nulls) > 0.25 && Math.min(...nulls) < 0.05 ? UTF_16 : 'binary data, not text'
}

const CONTROL_SHARE = 0.1
