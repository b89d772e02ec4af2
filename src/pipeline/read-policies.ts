import type { AwaitRule, RetryPolicy } from '../core/pipeline.ts'
import type { DocumentNode } from '../document/document-node.ts'
import { readObject } from './read-value.ts'
import { awaitRule, retry } from './step-schema.ts'

/** The default `await` of a document. */
export const DEFAULT_AWAIT: AwaitRule = readObject(awaitRule, undefined)

/** A document's `await`, with missing fields from `base`; `base` itself if there is none. */
export function readAwait(node: DocumentNode | undefined, base: AwaitRule | false): AwaitRule | false {
  if (!node) return base
  const rule = base || DEFAULT_AWAIT
  if (node.kind === 'scalar') return node.value !== false && rule
  return readObject(awaitRule, node, rule)
}

/** A document's `retry`, with missing fields from `base`. */
export function readRetry(node: DocumentNode | undefined, base: RetryPolicy | undefined): RetryPolicy | undefined {
  return node ? readObject(retry, node, base) : base
}
