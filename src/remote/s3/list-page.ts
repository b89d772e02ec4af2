import type { ListAnswer } from '@aws-sdk/client-s3'
import { whyNoRemoteName } from '../../core/remote-path.ts'
import type { RemoteFile } from '../../core/remote-source.ts'
import { tried } from '../../core/tried.ts'

interface ListedEntry {
  readonly name: string
  /** Undefined if it is not a usable file: a folder, or an object with a bad name, size, time or ETag. */
  readonly file?: RemoteFile
}

/**
 * The entries of a page in a folder, without hidden names. Keys are data; they are percent-encoded if the page says so.
 */
export function* listedEntries(page: ListAnswer, prefix: string): Generator<ListedEntry> {
  const isEncoded = page.EncodingType === 'url'
  for (const { Prefix } of page.CommonPrefixes ?? []) {
    const name = nameOf(Prefix, { prefix, isEncoded })?.replace(/\/$/, '')
    if (name !== undefined && !name.startsWith('.')) yield { name }
  }
  for (const { Key, Size, LastModified, ETag } of page.Contents ?? []) {
    const name = nameOf(Key, { prefix, isEncoded })
    // The folder itself is an object if a program made one for it.
    if (name === '' || name?.startsWith('.')) continue
    const file = name === undefined ? undefined : fileOf(`${prefix}${name}`, { Size, LastModified, ETag })
    yield { name: name ?? '', file: name === undefined || whyNoRemoteName(name) !== undefined ? undefined : file }
  }
}

/**
 * Makes a file from what a listing or a check reports; undefined if the report makes no sense. A check gives times in
 * whole seconds.
 */
export function fileOf(
  path: string,
  said: { Size?: number; LastModified?: Date; ETag?: string },
): RemoteFile | undefined {
  const { Size: size, ETag: version = '' } = said
  const seconds = Math.floor((said.LastModified?.getTime() ?? Number.NaN) / 1000)
  if (size === undefined || !Number.isSafeInteger(size) || size < 0) return undefined
  if (!Number.isSafeInteger(seconds) || !/^[\x21-\x7e]{1,256}$/.test(version)) return undefined
  return { path, size, mtimeMs: seconds * 1000, version }
}

/** Undefined if the key is not in the folder, or not text. */
function nameOf(
  key: string | undefined,
  { prefix, isEncoded }: { prefix: string; isEncoded: boolean },
): string | undefined {
  const text = isEncoded ? tried(() => decodeURIComponent((key ?? '').replaceAll('+', ' '))) : key
  return text?.startsWith(prefix) ? text.slice(prefix.length) : undefined
}
