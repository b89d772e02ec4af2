import { parse } from 'node:path'

/** The longest file name that the service takes, in characters (decision 109). */
const MAX_LENGTH = 100
const HASH_LENGTH = 16

/** The name to upload a file under: `auto-intenders-3f2a9c1b5d7e8f90.csv`. The same content gets the same name. */
export function uploadName(path: string, sha256: string): string {
  const { name, ext } = parse(path)
  const tail = `-${sha256.slice(0, HASH_LENGTH)}${safe(ext).slice(0, 10)}`
  return `${safe(name).slice(0, MAX_LENGTH - tail.length) || 'file'}${tail}`
}

function safe(text: string): string {
  return text.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-')
}
