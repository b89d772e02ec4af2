import type { JsonObject } from '../../core/json.ts'
import { splitRemotePath } from '../../core/remote-path.ts'
import type { RemoteFile } from '../../core/remote-source.ts'
import { withoutUndefined } from '../../core/without-undefined.ts'
import type { LedgerFile } from '../../state/remote-ledger.ts'
import type { FileFacts as ContentFacts } from '../watch/read-content.ts'
import { actJson } from './file-away.ts'
import type { RemoteWatch } from './remote-watch.ts'

/** What is known of a file that has been read. */
export interface FileFacts {
  readonly row: LedgerFile
  /** Where it was read. */
  readonly file: RemoteFile
  readonly about: ContentFacts
  /** Its copy on this machine. */
  readonly copy: string
}

/** What the occurrence store stores: enough to file the file away after the document is removed. */
export function detailOf({ trigger }: RemoteWatch, { row, file, about, copy }: FileFacts): JsonObject {
  const { source, path, ticket, hint } = row
  const { size, mtimeMs, sha256 } = about
  const { name } = splitRemotePath(path)
  return {
    ...withoutUndefined({ source, path, hint, name, ticket, size, modifiedAt: timeOf(mtimeMs), sha256 }),
    ...withoutUndefined({ file: copy, version: file.version }),
    done: actJson(trigger.done),
    failed: actJson(trigger.failed),
  }
}

/** The value of `trigger` in expressions. */
export function valuesOf({ row: { source, path }, about: { size, mtimeMs, sha256 }, copy }: FileFacts): JsonObject {
  const { name } = splitRemotePath(path)
  return withoutUndefined({ file: copy, name, source, path, size, modifiedAt: timeOf(mtimeMs), sha256 })
}

function timeOf(mtimeMs: number): string {
  return new Date(mtimeMs).toISOString()
}
