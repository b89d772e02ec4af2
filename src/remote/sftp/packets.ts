/** The packets of SFTP version 3 (draft-ietf-secsh-filexfer-02), as needed to list, read, move and remove files. */

export const REQUEST = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  lstat: 7,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  rename: 18,
} as const

const ANSWER = { version: 2, status: 101, handle: 102, data: 103, name: 104, attrs: 105 } as const

export const STATUS = { ok: 0, eof: 1, missing: 2, refused: 3, failure: 4 } as const

/** The kind of a path. `unknown`: the server does not say. */
type FileKind = 'file' | 'folder' | 'other' | 'unknown'

export interface Attributes {
  readonly kind: FileKind
  readonly size?: number
  /** In seconds since 1970. */
  readonly mtime?: number
}

interface Entry {
  readonly name: string
  readonly attributes: Attributes
}

export type SftpAnswer =
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'status'; readonly id: number; readonly code: number; readonly message: string }
  | { readonly kind: 'handle'; readonly id: number; readonly handle: Buffer }
  | { readonly kind: 'data'; readonly id: number; readonly data: Buffer }
  | { readonly kind: 'name'; readonly id: number; readonly entries: readonly Entry[] }
  | { readonly kind: 'attrs'; readonly id: number; readonly attributes: Attributes }

/** Bytes and strings are preceded by their length; numbers have 32 bits, bigints 64. */
type Field = string | Buffer | number | bigint

/** A request. The request for the version has no id. */
export function requestPacket(type: number, fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(partsOf)
  const length = parts.reduce((sum, part) => sum + part.length, 1)
  const head = Buffer.allocUnsafe(5)
  head.writeUInt32BE(length, 0)
  head.writeUInt8(type, 4)
  return Buffer.concat([head, ...parts])
}

function partsOf(field: Field): Buffer[] {
  if (typeof field === 'number') return [uint32(field)]
  if (typeof field === 'bigint') {
    const buffer = Buffer.allocUnsafe(8)
    buffer.writeBigUInt64BE(field)
    return [buffer]
  }
  const bytes = Buffer.from(field)
  return [uint32(bytes.length), bytes]
}

function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4)
  buffer.writeUInt32BE(value)
  return buffer
}

/** Reads an answer, without its length. Throws a RangeError if its type is unknown, or if it ends too early. */
export function readSftpAnswer(packet: Buffer): SftpAnswer {
  const reader = new PacketReader(packet)
  const type = reader.byte()
  if (type === ANSWER.version) return { kind: 'version', version: reader.uint32() }
  const id = reader.uint32()
  switch (type) {
    case ANSWER.status:
      // Servers of version 3 that are older than OpenSSH send nothing after the code.
      return { kind: 'status', id, code: reader.uint32(), message: reader.isAtEnd ? '' : reader.text() }
    case ANSWER.handle:
      return { kind: 'handle', id, handle: reader.bytes() }
    case ANSWER.data:
      return { kind: 'data', id, data: reader.bytes() }
    case ANSWER.name:
      return { kind: 'name', id, entries: reader.entries() }
    case ANSWER.attrs:
      return { kind: 'attrs', id, attributes: reader.attributes() }
    default:
      throw new RangeError(`there is no answer of type ${type}`)
  }
}

const HAS = { size: 1, owner: 2, mode: 4, times: 8, more: 0x80000000 }
const KIND_BITS = 0o170000
const KINDS: ReadonlyMap<number, FileKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
])
const LONG_NAME_KINDS: ReadonlyMap<string, FileKind> = new Map([
  ['-', 'file'],
  ['d', 'folder'],
  ['l', 'other'],
])
/** The minimum size of an entry. A count of entries is believed only if there are enough bytes for them. */
const LEAST_ENTRY_BYTES = 12

class PacketReader {
  readonly #packet: Buffer
  #at = 0

  constructor(packet: Buffer) {
    this.#packet = packet
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#packet.length
  }

  byte(): number {
    return this.#take(1).readUInt8()
  }

  uint32(): number {
    return this.#take(4).readUInt32BE()
  }

  bytes(): Buffer {
    return this.#take(this.uint32())
  }

  text(): string {
    return this.bytes().toString('utf8')
  }

  entries(): readonly Entry[] {
    const count = this.uint32()
    if (count > this.#packet.length / LEAST_ENTRY_BYTES)
      throw new RangeError(`an answer is too short for its ${count} names`)
    return Array.from({ length: count }, () => {
      const name = this.text()
      const longName = this.text()
      const attributes = this.attributes()
      if (attributes.kind !== 'unknown') return { name, attributes }
      return { name, attributes: { ...attributes, kind: LONG_NAME_KINDS.get(longName.charAt(0)) ?? 'unknown' } }
    })
  }

  attributes(): Attributes {
    const flags = this.uint32()
    const has = (bit: number) => (flags & bit) !== 0
    const size = has(HAS.size) ? Number(this.#take(8).readBigUInt64BE()) : undefined
    if (has(HAS.owner)) this.#take(8)
    const mode = has(HAS.mode) ? this.uint32() : undefined
    const kind = mode === undefined ? 'unknown' : (KINDS.get(mode & KIND_BITS) ?? 'other')
    if (has(HAS.times)) this.uint32()
    const mtime = has(HAS.times) ? this.uint32() : undefined
    if (has(HAS.more)) for (let left = this.uint32(); left > 0; left--) this.bytes().length + this.bytes().length
    return { kind, size, mtime }
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#packet.length) throw new RangeError('an answer ends too early')
    const taken = this.#packet.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
