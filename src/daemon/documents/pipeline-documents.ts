import type { BigIntStats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { codeOf } from '../../core/code-of.ts'
import { type DecodedText, decodeText } from '../../core/decode-text.ts'
import { type Diagnostic, formatPosition } from '../../core/diagnostic.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import { MAX_DOCUMENT_LENGTH } from '../../pipeline/load-pipeline.ts'
import { readBounded } from '../../platform/read-bounded.ts'
import { findPipelineFiles } from './find-pipeline-files.ts'
import { type InvalidDocument, type LiveDocument, liveDocuments, type PipelinesProblem } from './live-documents.ts'

/** No UTF-16 unit takes more in UTF-8: a larger file has more characters than a pipeline may have. */
const MAX_BYTES = 3 * MAX_DOCUMENT_LENGTH
const MAX_DOCUMENTS = 10_000
/** The most problems reported for one document. */
const MAX_MESSAGES = 20

/** Reads a document and the documents that it runs. Throws InvalidDocumentError. */
export type ReadDocument = (source: DecodedText & { readonly file: string }) => Pipeline

interface KnownFile {
  /** Distinguishes versions of the file without reading it. */
  readonly mark: string
  readonly document?: DecodedText
  /** The last valid version. */
  readonly pipeline?: Pipeline
  /** When the file of that version was last changed, in milliseconds since 1970. */
  readonly validFrom?: number
  readonly messages: readonly string[]
  readonly errors?: Errors
}

type Errors = Pick<InvalidDocument, 'errors' | 'places'>

/** The documents below a folder, as of the last `scan`. */
export class PipelineDocuments {
  readonly #folder: string
  readonly #read: ReadDocument
  #files = new Map<string, KnownFile>()
  #documents: ReadonlyMap<string, LiveDocument> = new Map()
  #problems: readonly PipelinesProblem[] = []

  constructor(folder: string, read: ReadDocument) {
    this.#folder = folder
    this.#read = read
  }

  /** By the name of the pipeline; an unchanged document is the same object as before. */
  get documents(): ReadonlyMap<string, LiveDocument> {
    return this.#documents
  }

  get problems(): readonly PipelinesProblem[] {
    return this.#problems
  }

  /** Checks all files and reads those that have changed; other work can run between any two documents. */
  async scan(): Promise<void> {
    const { files, unread } = await findPipelineFiles(this.#folder)
    const taken = files.slice(0, MAX_DOCUMENTS)
    const next = new Map<string, KnownFile>()
    for (const [file, known] of this.#files) if (isUnread(file, unread)) next.set(file, known)
    let hasChanged = next.size + taken.length !== this.#files.size
    for (const file of taken) {
      const known = this.#files.get(file)
      const found = await this.#look(file, known)
      if (found !== known) hasChanged = true
      if (found) next.set(file, found)
    }
    // The pipelines that a document runs may have become valid or invalid.
    if (hasChanged) {
      for (const [file, known] of next) {
        const { document } = known
        if (document && known === this.#files.get(file) && document.text.includes('pipelines.run')) {
          next.set(file, await this.#parse(file, document, known))
        }
      }
    }
    this.#files = next
    const pipelines = [...next.values()].flatMap(({ pipeline }) => pipeline ?? [])
    const { documents, problems } = liveDocuments(pipelines, this.#documents)
    this.#documents = documents
    this.#problems = [...problemsOf(next), ...problems, ...folderProblems(unread, files)]
  }

  /** The present file: the same object if it is unchanged; undefined if it is gone. */
  async #look(file: string, known: KnownFile | undefined): Promise<KnownFile | undefined> {
    let document: DecodedText
    let mark: string
    let changedAt: number
    try {
      const stats = await stat(file, { bigint: true })
      mark = fingerprintOf(stats)
      if (mark === known?.mark) return known
      changedAt = Number(stats.mtimeMs)
      const problem = problemOf(stats)
      if (problem !== undefined) return { ...known, mark, messages: [problem] }
      // Something else may have taken its place by now, such as a pipe.
      document = decodeText(readBounded(file, MAX_BYTES))
    } catch (error) {
      const code = codeOf(error)
      const isLink = code === 'ENOENT' && (await isThere(file))
      if (!isLink && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined
      const message = isLink ? 'it is a link that leads nowhere' : `it cannot be read: ${messageOf(error)}`
      // Without a mark, each check tries the file again.
      return known?.messages[0] === message ? known : { ...known, mark: '', messages: [message] }
    }
    // The file was checked out again, or only touched.
    if (document.text === known?.document?.text && known.messages.length === 0) return { ...known, mark }
    return this.#parse(file, document, { ...known, mark }, changedAt)
  }

  async #parse(
    file: string,
    document: DecodedText,
    known: Omit<KnownFile, 'messages'>,
    changedAt = known.validFrom,
  ): Promise<KnownFile> {
    const { text } = document
    await nextTurn()
    try {
      const pipeline = this.#read({ ...document, file })
      const isSame = known.pipeline?.text === text
      const validFrom = isSame ? known.validFrom : changedAt
      return {
        ...known,
        document,
        messages: [],
        errors: undefined,
        pipeline: isSame ? known.pipeline : pipeline,
        validFrom,
      }
    } catch (error) {
      return { ...known, document, ...problemsIn(file, error) }
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function fingerprintOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

function problemOf(stats: BigIntStats): string | undefined {
  if (!stats.isFile()) return 'it is no file'
  return stats.size > MAX_BYTES
    ? `a pipeline has at most ${MAX_DOCUMENT_LENGTH} characters, and it has more`
    : undefined
}

/** Whatever it is, it is this document's: the others are read all the same. */
function problemsIn(file: string, error: unknown): Pick<KnownFile, 'messages' | 'errors'> {
  if (!(error instanceof InvalidDocumentError)) return { messages: [messageOf(error)], errors: undefined }
  const errors = error.diagnostics.filter(({ severity }) => severity === 'error')
  const more = errors.length > MAX_MESSAGES ? [`and ${errors.length - MAX_MESSAGES} more errors`] : []
  const shown = errors.slice(0, MAX_MESSAGES)
  const places = shown.map(({ at }) => (at?.file === file ? { line: at.line, column: at.column } : undefined))
  return { messages: [...shown.map(sentence), ...more], errors: { errors: errors.length, places } }
}

function sentence({ at, message, code, hint }: Diagnostic): string {
  return `${at ? `${formatPosition(at)} ` : ''}${message} [${code}]${hint === undefined ? '' : `; ${hint}`}`
}

/** Whether a file is in a folder that cannot be read now. */
function isUnread(file: string, unread: ReadonlyMap<string, string>): boolean {
  return [...unread.keys()].some((folder) => file.startsWith(`${folder}${sep}`))
}

function problemsOf(files: ReadonlyMap<string, KnownFile>): PipelinesProblem[] {
  return [...files].flatMap(([file, { messages, pipeline, document, validFrom, errors }]) => {
    if (messages.length === 0) return []
    const { errors: count, places } = errors ?? { errors: messages.length, places: [] }
    const invalid = { errors: count, places, validFrom, text: document?.text }
    return [{ file, messages, keepsLast: pipeline !== undefined, invalid }]
  })
}

function folderProblems(unread: ReadonlyMap<string, string>, files: readonly string[]): PipelinesProblem[] {
  const first = files[MAX_DOCUMENTS]
  return [
    ...[...unread].map(([file, reason]) => ({
      file,
      messages: [`the folder cannot be read: ${reason}`],
      keepsLast: true,
    })),
    ...(first === undefined
      ? []
      : [
          {
            file: first,
            messages: [`there are more than ${MAX_DOCUMENTS} documents: this one and those after it are not run`],
            keepsLast: false,
          },
        ]),
  ]
}
