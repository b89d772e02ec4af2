import type { Pipeline } from '../core/pipeline.ts'
import type { EngineDeps } from './engine-deps.ts'

const MOST_KNOWN = 200

/**
 * Reads documents, and keeps at most `most` of them: those that were read last. Many runs have the same document, so
 * they share it in memory.
 */
export function knownDocuments(
  readPipeline: EngineDeps['readPipeline'],
  most = MOST_KNOWN,
): {
  readonly read: EngineDeps['readPipeline']
  add(document: Pipeline): void
} {
  const known = new Map<string, Pipeline>()
  const keep = (key: string, document: Pipeline) => {
    known.delete(key)
    known.set(key, document)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
  }
  const keyOf = ({ file, text }: { file: string; text: string }) => `${file}\n${text}`
  return {
    read(source) {
      const key = keyOf(source)
      const document = known.get(key) ?? readPipeline(source)
      keep(key, document)
      return document
    },
    add: (document) => keep(keyOf(document), document),
  }
}
