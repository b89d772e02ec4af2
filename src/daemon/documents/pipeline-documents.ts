import type { BigIntStats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { codeOf } from '../../core/code-of.ts'
import { type DecodedText, decodeText } from '../../core/decode-text.ts'
import { count } from '../../core/format/figures.ts'
import { messageOf } from '../../core/message-of.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import { NESTING_STEP } from '../../core/step-type.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8 } from '../../core/utf8-name.ts'
import { MAX_DOCUMENT_LENGTH } from '../../document/utf8-text.ts'
import { readBounded } from '../../platform/read-bounded.ts'
import { findPipelineFiles } from './find-pipeline-files.ts'
import {
  type DocumentProblems,
  type LiveDocument,
  liveDocuments,
  type PipelinesProblem,
  problemsIn,
  type ReadDocument,
} from './live-documents.ts'

/**
 * No UTF-16 unit takes more than three bytes in UTF-8, so a larger file has more characters than a pipeline may have.
 */
const MAX_BYTES = 3 * MAX_DOCUMENT_LENGTH
const MAX_DOCUMENTS = 10_000

interface KnownFile extends DocumentProblems {
  /** Distinguishes versions of the file without reading it. */
  readonly mark: string
  readonly document?: DecodedText
  /** The last valid version. */
  readonly pipeline?: Pipeline
  /** When the file of that version was last changed, in milliseconds since 1970. */
  readonly validFrom?: number
  /** When the file was first found missing, by the steady clock; undefined while it is there. */
  readonly awaySince?: number | undefined
}

/** A file as it is now. */
interface SeenFile {
  readonly known: KnownFile
  /** Its new content, which has been read but not yet checked. */
  readonly fresh?: { readonly document: DecodedText; readonly changedAt: number }
}

/** All files at one moment. */
interface Look {
  readonly files: readonly string[]
  readonly unread: ReadonlyMap<string, string>
  readonly seen: ReadonlyMap<string, SeenFile>
}

/**
 * How long a document may be missing before it counts as removed, because git, rsync and editors remove a document and
 * write it again.
 */
const AWAY_MS = 10_000

/**
 * The documents below a folder, as of the last `scan`. With a steady clock, a document that is missing for a short time
 * stays in use, because a tool that replaces it may remove it first.
 */
export class PipelineDocuments {
  readonly #folder: string
  readonly #read: ReadDocument
  readonly #steady: (() => number) | undefined
  #files = new Map<string, KnownFile>()
  #documents: ReadonlyMap<string, LiveDocument> = new Map()
  #problems: readonly PipelinesProblem[] = []

  constructor(folder: string, read: ReadDocument, steady?: () => number) {
    this.#folder = folder
    this.#read = read
    this.#steady = steady
  }

  /** By the name of the pipeline; an unchanged document is the same object as before. */
  get documents(): ReadonlyMap<string, LiveDocument> {
    return this.#documents
  }

  get problems(): readonly PipelinesProblem[] {
    return this.#problems
  }

  /** Whether a document is missing, so a later scan may find it removed. */
  get isSomeAway(): boolean {
    return [...this.#files.values()].some(({ awaySince }) => awaySince !== undefined)
  }

  /** Checks all files and reads those that have changed. Other work can run between any two documents. */
  async scan(): Promise<void> {
    await this.#take(await this.#lookAtAll())
  }

  /**
   * Like `scan`, but takes all or nothing: false if files changed while they were being read, so that some may be from
   * before a change and others from after it.
   */
  async scanIfStill(): Promise<boolean> {
    const look = await this.#lookAtAll()
    if (hasChanged(look, this.#files) && !(await isStill(this.#folder, look))) return false
    await this.#take(look)
    return true
  }

  /** Reads the content of all new and changed files. */
  async #lookAtAll(): Promise<Look> {
    const { files, unread } = await findPipelineFiles(this.#folder)
    const seen = new Map<string, SeenFile>()
    for (const [file, known] of this.#files) if (isUnread(file, unread)) seen.set(file, { known })
    for (const file of files.slice(0, MAX_DOCUMENTS)) {
      const found = await this.#look(file, this.#files.get(file))
      if (found) seen.set(file, found)
    }
    for (const [file, known] of this.#files) {
      const away = seen.has(file) ? undefined : this.#away(known)
      if (away) seen.set(file, { known: away })
    }
    return { files, unread, seen }
  }

  /** Returns a missing document while it stays in use; otherwise undefined. */
  #away(known: KnownFile): KnownFile | undefined {
    if (!this.#steady || !known.pipeline) return undefined
    const now = this.#steady()
    const { awaySince = now } = known
    if (now - awaySince >= AWAY_MS) return undefined
    return known.awaySince === undefined ? { ...known, awaySince } : known
  }

  /** Checks the new files, and uses them all at once. */
  async #take(look: Look): Promise<void> {
    const { files, unread, seen } = look
    const next = new Map<string, KnownFile>()
    for (const [file, { known, fresh }] of seen) {
      next.set(file, fresh ? await this.#parse(file, fresh.document, known, fresh.changedAt) : known)
    }
    for (const file of movedAway(next)) next.delete(file)
    const isSomeAway = [...next.values()].some(({ awaySince }) => awaySince !== undefined)
    // The pipelines that a document runs may have become valid or invalid. A missing document does not count.
    if (hasChanged(look, this.#files) && !isSomeAway) {
      for (const [file, known] of next) {
        const { document } = known
        if (document && !seen.get(file)?.fresh && document.text.includes(NESTING_STEP)) {
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

  /** The file as it is now, with the same `known` if it is unchanged; undefined if it is gone. */
  async #look(file: string, known: KnownFile | undefined): Promise<SeenFile | undefined> {
    let document: DecodedText
    let mark: string
    let changedAt: number
    try {
      const stats = await stat(file, { bigint: true })
      mark = fingerprintOf(stats)
      if (mark === known?.mark && known.awaySince === undefined) return { known }
      changedAt = Number(stats.mtimeMs)
      const problem = problemOf(stats)
      if (problem !== undefined) return { known: { ...known, mark, messages: [problem], awaySince: undefined } }
      // Something else may have replaced it by now, such as a pipe.
      document = decodeText(readBounded(file, MAX_BYTES))
    } catch (error) {
      const code = codeOf(error)
      const isLink = code === 'ENOENT' && (await isThere(file))
      const isOdd = code === 'ENOENT' && !isLink && mayBeNotUtf8(file)
      if (!isLink && !isOdd && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined
      const message = isLink
        ? 'it is a link that leads nowhere'
        : isOdd
          ? `${NAME_NOT_UTF8}: rename it`
          : `it cannot be read: ${messageOf(error)}`
      // An empty mark makes each check try the file again.
      if (known?.messages[0] === message) return { known }
      return { known: { ...known, mark: '', messages: [message], awaySince: undefined } }
    }
    const back = { ...known, mark, awaySince: undefined }
    // The file was checked out again, or only touched.
    if (document.text === known?.document?.text && known.messages.length === 0) {
      return { known: { ...back, messages: known.messages } }
    }
    return { known: { ...back, messages: [] }, fresh: { document, changedAt } }
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

/** Whether files were added, changed, found missing or removed. */
function hasChanged({ seen }: Look, before: ReadonlyMap<string, KnownFile>): boolean {
  return seen.size !== before.size || [...seen].some(([file, { known }]) => known !== before.get(file))
}

/** Whether nothing has changed since a scan, without reading any file. */
async function isStill(folder: string, { files, seen }: Look): Promise<boolean> {
  const now = await findPipelineFiles(folder)
  if (now.files.length !== files.length || now.files.some((file, index) => file !== files[index])) return false
  for (const [file, { known }] of seen) {
    if (known.awaySince !== undefined || known.mark === '') continue
    const stats = await stat(file, { bigint: true }).catch(() => undefined)
    if (!stats || fingerprintOf(stats) !== known.mark) return false
  }
  return true
}

/** Missing files whose pipeline is now in another file: they were moved. */
function movedAway(files: ReadonlyMap<string, KnownFile>): string[] {
  const present = new Set<string>()
  for (const { pipeline, awaySince } of files.values()) {
    if (pipeline && awaySince === undefined) present.add(pipeline.name)
  }
  return [...files].flatMap(([file, { pipeline, awaySince }]) =>
    awaySince !== undefined && pipeline && present.has(pipeline.name) ? [file] : [],
  )
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
  if (!stats.isFile()) return 'it is not a file'
  return stats.size > MAX_BYTES
    ? `it has more than ${count(MAX_DOCUMENT_LENGTH, 'character')}, the limit for a pipeline`
    : undefined
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
  const tooMany = `there are more than ${count(MAX_DOCUMENTS, 'document')}: this one and those after it are not run`
  return [
    ...[...unread].map(([file, reason]) => ({
      file,
      messages: [`the folder cannot be read: ${reason}`],
      keepsLast: true,
    })),
    ...files.slice(MAX_DOCUMENTS, MAX_DOCUMENTS + 1).map((file) => ({ file, messages: [tooMany], keepsLast: false })),
  ]
}
