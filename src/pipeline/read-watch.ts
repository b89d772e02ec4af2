import type { WatchTrigger } from '../core/pipeline.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { durationAt, isTrue, numberAt } from './read-policies.ts'

/** The largest file that the service takes. */
const MAX_UPLOAD_BYTES = 157_286_400

/** A `watch`, with defaults for missing fields. */
export function readWatch(node: DocumentNode): Omit<WatchTrigger, 'kind' | 'id' | 'if' | 'inputs' | 'at'> {
  const precheck = childOf(node, 'precheck')
  const signal = textOf(childOf(precheck, 'signal'))
  return {
    path: textOf(childOf(node, 'path')) ?? '',
    pattern: textOf(childOf(node, 'pattern')) ?? '',
    settleMs: durationAt(node, 'settle') ?? 2000,
    done: textOf(childOf(node, 'done')) ?? '',
    failed: textOf(childOf(node, 'failed')) ?? '',
    repeat: isTrue(childOf(node, 'repeat')),
    precheck: {
      maxBytes: numberAt(precheck, 'maxBytes') ?? MAX_UPLOAD_BYTES,
      ...(signal !== undefined && { signal }),
      minimumShare: numberAt(precheck, 'minimumShare') ?? 0.9,
    },
  }
}
