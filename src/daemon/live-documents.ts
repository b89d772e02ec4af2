import { dirname } from 'node:path'
import type { Pipeline } from '../core/pipeline.ts'

/** A document that the daemon acts on. */
export interface LiveDocument {
  /** Its last version that was valid. */
  readonly pipeline: Pipeline
  /** Absolute paths. */
  readonly folder: string
  readonly file: string
}

/** Something about the pipelines folder that a person has to put right. */
export interface PipelinesProblem {
  /** Absolute path of the document or folder that it is about. */
  readonly file: string
  /** One sentence each; those about a place in a document begin with it. */
  readonly messages: readonly string[]
  /** An earlier version of the document is acted on meanwhile. */
  readonly keepsLast: boolean
}

/** The documents by the name of their pipeline. Of two with one name that is acted on which was before, or the first by path. */
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
      const message = `the pipeline ${name} is in ${other.file} already, so this one is not run; give one of them another name`
      problems.push({ file, messages: [message], keepsLast: false })
      continue
    }
    const before = previous.get(name)
    // The same object as before, so that who compares sees what has changed.
    documents.set(name, before?.pipeline === pipeline ? before : { pipeline, folder: dirname(file), file })
  }
  return { documents, problems }
}
