import type { Hash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { GitBlob } from './git-repository.ts'

const CHUNK_BYTES = 1 << 20
/** In a larger file, CRLF line endings count as a difference, even if git wrote them. */
const MOST_TEXT_BYTES = 10_000_000

/**
 * Whether a file differs from its version in a commit, without the filters of the repository. Two of them are known and
 * need no program: git stores lines without CR, and Git LFS stores a pointer to the content.
 */
export function contentDiffers(path: string, blob: GitBlob): boolean {
  const { size } = statSync(path)
  if (size === blob.size && hashOf(path, size, blobHash(blob, size)) === blob.id) return false
  if (size > blob.size && size <= MOST_TEXT_BYTES) {
    const text = Buffer.from(readFileSync(path, 'latin1').replaceAll('\r\n', '\n'), 'latin1')
    if (blobHash(blob, text.length).update(text).digest('hex') === blob.id) return false
  }
  const pointer = (sha256: string) =>
    Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${size}\n`)
  if (pointer('0'.repeat(64)).length !== blob.size) return true
  const stored = pointer(hashOf(path, size, newHash('sha256')))
  return blobHash(blob, stored.length).update(stored).digest('hex') !== blob.id
}

/** The hash of a git object: SHA-1, or SHA-256 in a repository with that format. */
function blobHash({ id }: GitBlob, bytes: number): Hash {
  return newHash(id.length === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`)
}

/** Loaded for the first file, because loading the module takes a sixth of Node's own start time. */
function newHash(algorithm: 'sha1' | 'sha256'): Hash {
  return process.getBuiltinModule('node:crypto').createHash(algorithm)
}

function hashOf(path: string, size: number, hash: Hash): string {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1))
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read))
    return hash.digest('hex')
  } finally {
    closeSync(file)
  }
}
