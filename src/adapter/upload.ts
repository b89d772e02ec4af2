import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { MAX_UPLOAD_BYTES } from '../contract/files.ts'
import { codeOf } from '../core/code-of.ts'
import { AudienceError, failedError } from '../core/errors.ts'
import { count, formatSizeLimit, grouped } from '../core/format/figures.ts'
import { shownPath } from '../core/shown-path.ts'
import { NotRegularError, openNamed } from '../platform/open-regular.ts'
import type { CallOptions } from './api-client.ts'
import { fileChanged, type MultipartFile, multipartFile } from './multipart-file.ts'
import type { Transport } from './transport.ts'

/** The service may refuse a larger file, depending on how it defines a megabyte (decision 107). */
const SURE_UPLOAD_BYTES = 150_000_000
/** The shortest time between two progress reports. */
const PROGRESS_INTERVAL_MS = 100

export interface UploadRequest extends Pick<CallOptions, 'uploadName' | 'uploadContent' | 'onSent' | 'openFile'> {
  readonly path: string
  readonly part: string
}

/**
 * Opens the file for one attempt. The caller destroys the body and closes the file. Before anything is sent, throws
 * `file-unreadable`, `file-changed` if the file is not what was checked, or `file-too-large` if the service is certain
 * to refuse the file (decision 107).
 */
export async function openUpload(
  request: UploadRequest,
  { clock, warn }: Pick<Transport, 'clock' | 'warn'>,
): Promise<MultipartFile & { close(): Promise<void> }> {
  const { path, part, onSent, uploadContent: content } = request
  const file = await opened(request)
  try {
    const stat = await file.stat()
    if (stat.size > MAX_UPLOAD_BYTES) throw tooLarge(path, stat.size)
    if (content && (stat.size !== content.bytes || stat.mtimeMs !== content.modifiedMs)) throw fileChanged(path)
    if (stat.size > SURE_UPLOAD_BYTES) {
      warn(
        `${shownPath(path)} has ${count(stat.size, 'byte')}, close to the limit of ${formatSizeLimit(SURE_UPLOAD_BYTES)}; the service may refuse it`,
      )
    }
    const multipart = multipartFile({
      file,
      opened: { size: stat.size, mtimeMs: stat.mtimeMs },
      sha256: content?.sha256,
      path,
      part,
      name: request.uploadName ?? basename(path),
      boundary: `audience-${randomUUID()}`,
      onSent: throttled(stat.size, onSent, clock.steady),
    })
    return { ...multipart, close: () => closed(file, multipart) }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function closed(file: FileHandle, { body }: MultipartFile): Promise<void> {
  // After an early answer, the stream may still be reading. Its error no longer matters.
  body.on('error', () => {})
  body.destroy()
  await file.close()
}

function throttled(
  totalBytes: number,
  onSent: UploadRequest['onSent'],
  now: () => number,
): (bytesSent: number) => void {
  if (!onSent) return () => {}
  let next = 0
  return (bytesSent) => {
    const nowMs = now()
    if (bytesSent < totalBytes && nowMs < next) return
    next = nowMs + PROGRESS_INTERVAL_MS
    onSent(bytesSent, totalBytes)
  }
}

async function opened({ path, openFile = openNamed }: UploadRequest): Promise<FileHandle> {
  try {
    return await openFile(path)
  } catch (cause) {
    if (cause instanceof AudienceError) throw cause
    if (cause instanceof NotRegularError) throw unreadable(path, 'it is not a file', cause)
    throw unreadable(path, codeOf(cause) ?? 'unknown reason', cause)
  }
}

function unreadable(path: string, reason: string, cause?: unknown): AudienceError {
  return new AudienceError({
    code: 'file-unreadable',
    kind: 'failed',
    message: `${shownPath(path)} cannot be read: ${reason}`,
    hint: 'check the path and its permissions',
    cause,
  })
}

function tooLarge(path: string, bytes: number): AudienceError {
  return failedError(
    'file-too-large',
    `${shownPath(path)} has ${count(bytes, 'byte')}; the service takes at most ${grouped(MAX_UPLOAD_BYTES)} (150 MB)`,
    'split the file, and make a segment of each part',
  )
}
