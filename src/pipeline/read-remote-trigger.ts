import type { RemoteAct, RemoteTrigger } from '../core/pipeline.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { readObject } from './read-value.ts'
import { remoteWatch } from './trigger-schema.ts'

/** A watch with a source. What is wrong with it is reported elsewhere. */
export function readRemoteTrigger(
  watch: DocumentNode,
): Pick<
  RemoteTrigger,
  'kind' | 'source' | 'path' | 'everyMs' | 'settleMs' | 'done' | 'failed' | 'repeat' | 'precheck'
> {
  const { source, path, everyMs, settleMs, repeat, precheck } = readObject(remoteWatch, watch)
  const [done, failed] = [actOf(childOf(watch, 'done')), actOf(childOf(watch, 'failed'))]
  return { kind: 'remote', source, path, everyMs, settleMs, done, failed, repeat, precheck }
}

function actOf(node: DocumentNode | undefined): RemoteAct {
  const folder = textOf(childOf(node, 'move'))
  if (folder !== undefined) return { act: 'move', folder }
  const [, key, value] = /^([^=]*)=(.*)$/.exec(textOf(childOf(node, 'tag')) ?? '') ?? []
  if (key !== undefined && value !== undefined) return { act: 'tag', key, value }
  return { act: textOf(node) === 'delete' ? 'delete' : 'keep' }
}
