import type { DatabaseSync } from 'node:sqlite'
import type { RowRange } from './page.ts'
import { statementsOf } from './statement.ts'

/** Files of one participant for one purpose (decision 111). */
export interface FileBucket {
  readonly participant: number
  readonly featureType: string
  readonly uploadSignal: string
  readonly resultContent: string
}

export interface FileStore {
  /** Returns the contents of the files with this name; without a signal, those of all signals (decision 22). */
  find(key: Omit<FileBucket, 'uploadSignal'> & { name: string; uploadSignal: string | undefined }): string[]
  /** Makes the name refer to `content`. Returns the content that it replaced (decision 110). */
  put(file: FileBucket & { name: string; content: string; bytes: number; uploadedAt: number }): string | undefined
  /** Returns names in the order of creation. */
  list(bucket: FileBucket, range: RowRange): string[]
  /** Deletes a file. Returns its content; undefined if there was no file. */
  delete(key: FileBucket & { name: string }): string | undefined
  usesContent(content: string): boolean
}

export function createFileStore(db: DatabaseSync): FileStore {
  const statement = statementsOf(db)
  const bucket =
    'participant = :participant AND feature_type = :featureType AND upload_signal = :uploadSignal AND result_content = :resultContent'
  const contents = (sql: string) => statement(sql, ({ content }: { content: string }) => content)
  const find = contents(`SELECT content FROM files WHERE participant = :participant AND result_content = :resultContent
      AND name = :name AND feature_type = :featureType AND (:uploadSignal IS NULL OR upload_signal = :uploadSignal)`)
  const insert = statement(`INSERT INTO files (participant, feature_type, upload_signal, result_content, name, content,
      bytes, uploaded_at)
      VALUES (:participant, :featureType, :uploadSignal, :resultContent, :name, :content, :bytes, :uploadedAt)
      ON CONFLICT DO UPDATE SET content = excluded.content, bytes = excluded.bytes, uploaded_at = excluded.uploaded_at`)
  const list = statement(
    `SELECT name FROM files WHERE ${bucket} ORDER BY seq LIMIT :limit OFFSET :offset`,
    ({ name }: { name: string }) => name,
  )
  const remove = contents(`DELETE FROM files WHERE ${bucket} AND name = :name RETURNING content`)
  const uses = statement('SELECT 1 FROM files WHERE content = :content')

  return {
    find: (key) => find.all({ ...key }),
    put(file) {
      const replaced = find.get({ ...file })
      insert.run({ ...file })
      return replaced
    },
    list: (key, range) => list.all({ ...key, ...range }),
    delete: (key) => remove.get({ ...key }),
    usesContent: (content) => uses.get({ content }) !== undefined,
  }
}
