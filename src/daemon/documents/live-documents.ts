import { dirname } from 'node:path'
import type { DecodedText } from '../../core/decode-text.ts'
import { type Diagnostic, formatPosition, type Position } from '../../core/diagnostic.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'
import { matchesTrigger, type TriggerRef, triggerRefOf } from '../../core/occurrence.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Trigger } from '../../core/trigger.ts'

/** Reads a document and the documents that it runs. Throws InvalidDocumentError. */
export type ReadDocument = (source: DecodedText & { file: string }) => Pipeline

/** A document that the daemon uses. */
export interface LiveDocument {
  /** Its last valid version. */
  readonly pipeline: Pipeline
  /** An absolute path. */
  readonly folder: string
  readonly file: string
}

/** A trigger with its document. */
export type LiveTrigger<Kind extends Trigger['kind']> = LiveDocument & {
  readonly trigger: Extract<Trigger, { kind: Kind }>
}

/** The triggers of one kind. `asked` selects them by name. */
export function triggersOf<Kind extends Trigger['kind']>(
  documents: Iterable<LiveDocument>,
  kind: Kind,
  asked: Partial<TriggerRef> = {},
): LiveTrigger<Kind>[] {
  const isKind = (trigger: Trigger): trigger is LiveTrigger<Kind>['trigger'] => trigger.kind === kind
  return [...documents].flatMap((document) =>
    document.pipeline.triggers
      .filter(isKind)
      .map((trigger) => ({ ...document, trigger }))
      .filter((live) => matchesTrigger(asked, triggerRefOf(live))),
  )
}

/** A problem with the pipelines folder that a person must fix. */
export interface PipelinesProblem {
  /** The absolute path of the document or folder with the problem. */
  readonly file: string
  /** One sentence each. A message about a position in a document begins with the position. */
  readonly messages: readonly string[]
  /** Whether an earlier version of the document stays in use in the meantime. */
  readonly keepsLast: boolean
  /** Facts about a document that cannot be read as a pipeline. */
  readonly invalid?: InvalidDocument | undefined
}

/** The errors of a document. */
interface InvalidDocument {
  /** How many errors it has. The messages may not show all of them. */
  readonly errors: number
  /**
   * When the file of the version in use was last changed, in milliseconds since 1970; undefined if no version is in
   * use.
   */
  readonly validFrom: number | undefined
  /** Its text; undefined if it cannot be read. */
  readonly text: string | undefined
  /** The position of each message, in the same order; undefined if the message is not about a position in this file. */
  readonly places: readonly (Pick<Position, 'line' | 'column'> | undefined)[]
}

/** Whether no document was added, changed or removed. */
export function isSameDocuments(a: ReadonlyMap<string, LiveDocument>, b: ReadonlyMap<string, LiveDocument>): boolean {
  return a.size === b.size && [...a].every(([name, document]) => b.get(name) === document)
}

export function isSameProblems(a: readonly PipelinesProblem[], b: readonly PipelinesProblem[]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The documents by the name of their pipeline. If two have the same name, the one already in use stays; otherwise the
 * first by path is used.
 */
export function liveDocuments(
  pipelines: readonly Pipeline[],
  previous: ReadonlyMap<string, LiveDocument>,
): { readonly documents: ReadonlyMap<string, LiveDocument>; readonly problems: readonly PipelinesProblem[] } {
  const documents = new Map<string, LiveDocument>()
  const problems: PipelinesProblem[] = []
  const isKept = ({ name, file }: Pipeline) => previous.get(name)?.file === file
  const inOrder = pipelines.toSorted((a, b) => Number(isKept(b)) - Number(isKept(a)) || (a.file < b.file ? -1 : 1))
  for (const pipeline of inOrder) {
    const { name, file } = pipeline
    const other = documents.get(name)
    if (other) {
      const message = `the pipeline ${name} is already in ${other.file}, so this one is not run; give one of them another name`
      problems.push({ file, messages: [message], keepsLast: false })
      continue
    }
    const before = previous.get(name)
    // Keep the same object, so that a comparison shows what has changed.
    documents.set(name, before?.pipeline === pipeline ? before : { pipeline, folder: dirname(file), file })
  }
  return { documents, problems }
}

/** The maximum number of problems that are reported for one document. */
const MAX_MESSAGES = 20

/**
 * What is wrong with a document: a sentence for each problem. If `errors` is absent, each message counts as one error.
 */
export interface DocumentProblems {
  readonly messages: readonly string[]
  readonly errors?: Pick<InvalidDocument, 'errors' | 'places'> | undefined
}

/**
 * The problems with a document, from an error. Any error here concerns only this document: the others are still read.
 */
export function problemsIn(file: string, error: unknown): DocumentProblems {
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
