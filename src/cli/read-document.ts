import { basename, dirname, join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { type DecodedText, decodeText } from '../core/decode-text.ts'
import { closestName } from '../core/did-you-mean.ts'
import { AudienceError, usageError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8, RENAME_TO_UTF8 } from '../core/utf8-name.ts'
import { isDocumentName } from '../daemon/documents/find-pipeline-files.ts'
import { isFile } from '../platform/is-file.ts'
import { namesIn } from '../platform/names-in.ts'
import { readBounded } from '../platform/read-bounded.ts'

/** Far above the size limit of a document. If a document exceeds that limit, the loader says so, with a position. */
const MAX_BYTES = 10_000_000

/** The text of a document. Throws an AudienceError that says why it cannot be read. */
export function readDocument(file: string): DecodedText {
  try {
    return decodeText(readBounded(file, MAX_BYTES))
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    if (isMissing && mayBeNotUtf8(file)) throw notUtf8(file)
    const meant = meantBy(file)
    throw new AudienceError({
      code: 'document-unreadable',
      kind: 'usage',
      message: isMissing ? `there is no file ${file}` : `${file} cannot be read: ${messageOf(error)}`,
      hint: meant === undefined || meant === file ? 'check the path' : `did you mean ${meant}?`,
      cause: error,
    })
  }
}

function notUtf8(file: string): AudienceError {
  return usageError(
    'document-unreadable',
    `${file} cannot be read: ${NAME_NOT_UTF8}, or there is no such file`,
    RENAME_TO_UTF8,
  )
}

/**
 * The document that somebody probably meant by a path without its extension or folder, or with a mistyped name. For a
 * folder, its first document.
 */
function meantBy(file: string): string | undefined {
  const places = [file, join(dirname(file), 'pipelines', basename(file))]
  const found = places.flatMap((place) => ['', '.yaml', '.yml'].map((end) => place + end)).find(isFile)
  if (found !== undefined) return found
  const [inside] = documentsIn(file)
  if (inside !== undefined) return join(file, inside)
  const name = closestName(basename(file), documentsIn(dirname(file)))
  return name && join(dirname(file), name)
}

function documentsIn(folder: string): readonly string[] {
  return namesIn(folder).filter(isDocumentName).sort()
}
