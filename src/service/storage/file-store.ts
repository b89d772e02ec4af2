import type { DatabaseSync } from 'node:sqlite'
import { limitAndOffset, type PageRequest } from './page.ts'
import { statement } from './statement.ts'

/** Files of one participant for one purpose (decision 111). */
export interface FileBucket {
  readonly participant: number
  readonly featureType: string
  readonly uploadSignal: string
  readonly resultContent: string
}

export interface FileStore {
  /** Returns the content of a file in its bucket. */
  find(key: FileBucket & { name: string }): string | undefined
  /** Returns the contents of the files with this name under any signal. More than one is ambiguous (decision 22). */
  findUnderAnySignal(key: Omit<FileBucket, 'uploadSignal'> & { name: string }): string[]
  /** Makes the name refer to `content`. Returns the content that it replaced (decision 110). */
  put(file: FileBucket & { name: string; content: string; bytes: number; uploadedAt: number }): string | undefined
  /** Returns names in the order of creation, and one name more than the page size if more follow. */
  list(bucket: FileBucket, page: PageRequest): string[]
  /** Deletes a file. Returns its content; undefined if there was no file. */
  delete(key: FileBucket & { name: string }): string | undefined
  usesContent(content: string): boolean
}

export function createFileStore(db: DatabaseSync): FileStore {
  const bucket =
    'participant = :participant AND feature_type = :featureType AND upload_signal = :uploadSignal AND result_content = :resultContent'
  const find = statement<{ content: string }>(db, `SELECT content FROM files WHERE ${bucket} AND name = :name`)
  const findAny = statement<{ content: string }>(
    db,
    `SELECT content FROM files WHERE participant = :participant AND result_content = :resultContent AND name = :name
      AND feature_type = :featureType`,
  )
  const insert = statement(
    db,
    `INSERT INTO files (participant, feature_type, upload_signal, result_content, name, content, bytes, uploaded_at)
      VALUES (:participant, :featureType, :uploadSignal, :resultContent, :name, :content, :bytes, :uploadedAt)
      ON CONFLICT DO UPDATE SET content = excluded.content, bytes = excluded.bytes, uploaded_at = excluded.uploaded_at`,
  )
  const list = statement<{ name: string }>(
    db,
    `SELECT name FROM files WHERE ${bucket} ORDER BY seq LIMIT :limit OFFSET :offset`,
  )
  const remove = statement<{ content: string }>(
    db,
    `DELETE FROM files WHERE ${bucket} AND name = :name RETURNING content`,
  )
  const uses = statement(db, 'SELECT 1 FROM files WHERE content = :content')

  return {
    find: (key) => find.get({ ...key })?.content,
    findUnderAnySignal: (key) => findAny.all({ ...key }).map((row) => row.content),
    put(file) {
      const { content: _content, bytes: _bytes, uploadedAt: _uploadedAt, ...key } = file
      const replaced = find.get({ ...key })?.content
      insert.run({ ...file })
      return replaced
    },
    list: (key, page) => list.all({ ...key, ...limitAndOffset(page) }).map((row) => row.name),
    delete: (key) => remove.get({ ...key })?.content,
    usesContent: (content) => uses.get({ content }) !== undefined,
  }
}
