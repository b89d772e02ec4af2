import { InvalidDocumentError } from './core/errors.ts'
import type { Pipeline } from './core/pipeline.ts'
import { loadPipeline } from './pipeline/load-pipeline.ts'
import { stepTypes } from './steps/index.ts'

/** A pipeline from its text. Throws InvalidDocumentError with everything that is wrong with it. */
export function readPipeline(source: { readonly text: string; readonly file: string }): Pipeline {
  const { pipeline, diagnostics } = loadPipeline({ ...source, stepTypes })
  if (!pipeline) throw new InvalidDocumentError(source.file, source.text, diagnostics)
  return pipeline
}
