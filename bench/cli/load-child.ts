import { parseDocument } from 'yaml'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { answerParent } from '../support/child.ts'
import { documentOf } from './documents.ts'

/** Loads documents with all checks, or only parses them with the YAML library. */
const STEPS = 30

answerParent({
  load(count: number): number {
    return timed(count, (text, file) => {
      const { pipeline, diagnostics } = loadPipeline({ text, file, stepTypes })
      if (!pipeline || diagnostics.length > 0) throw new Error(`${file}: ${JSON.stringify(diagnostics[0])}`)
    })
  },
  parse(count: number): number {
    return timed(count, (text, file) => {
      const { errors } = parseDocument(text, { intAsBigInt: true })
      if (errors.length > 0) throw new Error(`${file}: ${errors[0]}`)
    })
  },
})

function timed(count: number, read: (text: string, file: string) => void): number {
  const texts = Array.from({ length: count }, (_, number) => documentOf(number, STEPS))
  const begun = performance.now()
  for (const [number, text] of texts.entries()) read(text, `pipeline-${number}.yaml`)
  return performance.now() - begun
}
