import { open } from 'node:fs/promises'
import { AudienceError } from '../core/errors.ts'
import { type CsvDialect, csvDialect } from './csv-dialect.ts'

/** A file that keys come from, and how it is to be read. */
export type ListInput = { readonly path: string } & { readonly format: 'csv'; readonly dialect: CsvDialect }

const PREFIX_BYTES = 256 * 1024

/** Finds out from the beginning of a file what it is; its name does not count. */
export async function listInput(path: string): Promise<ListInput> {
  const prefix = await prefixOf(path)
  if (prefix[0] === 0xff || prefix[0] === 0xfe) throw unreadable(path, 'it is not UTF-8; it begins like UTF-16')
  const text = new TextDecoder('utf-8').decode(prefix)
  return { path, format: 'csv', dialect: csvDialect(text) }
}

async function prefixOf(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(new Uint8Array(PREFIX_BYTES), 0, PREFIX_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
    throw unreadable(path, code === 'ENOENT' ? 'there is no such file' : `opening it gives ${code}`)
  }
}

function unreadable(path: string, why: string): AudienceError {
  return new AudienceError({
    code: 'list-unreadable',
    kind: 'failed',
    message: `${path} cannot be read: ${why}`,
    hint: 'give a file in UTF-8 with one person a row; docs/lists.md says which formats there are',
  })
}
