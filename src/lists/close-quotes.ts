import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CsvDialect, fieldAt } from './csv-dialect.ts'

/**
 * Copies a CSV file without the lines in which a quote is left open, and returns how many these are. As at the service, a
 * line is then a record (decision 113): an open quote would otherwise swallow the lines up to the next quote.
 */
export async function copyClosed(
  from: string,
  to: string,
  { dialect, signal }: { readonly dialect: CsvDialect; readonly signal: AbortSignal },
): Promise<number> {
  let open = 0
  async function* closed() {
    const lines = createInterface({ input: createReadStream(from, { signal }), crlfDelay: Number.POSITIVE_INFINITY })
    let chunk = ''
    for await (const line of lines) {
      if (line.includes(dialect.quote) && leavesOpen(line, dialect)) open += 1
      else chunk += `${line}\n`
      if (chunk.length < CHUNK) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }
  await pipeline(Readable.from(closed()), createWriteStream(to, { mode: 0o600 }), { signal })
  return open
}

const CHUNK = 1 << 16

function leavesOpen(line: string, dialect: CsvDialect): boolean {
  for (let at = 0; at <= line.length; at += dialect.delimiter.length) {
    const field = fieldAt(line, at, dialect)
    if (field.isOpen) return true
    at = field.end
  }
  return false
}
