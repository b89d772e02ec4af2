import type { RemoteAct, RemoteTrigger, Trigger, WaitFor } from '../core/trigger.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { readObject } from './read-value.ts'
import { MAX_DECLARATIONS } from './schema-parts.ts'
import type { TemplateReader } from './template-reader.ts'
import {
  after as afterSchema,
  folderWatch as folderWatchSchema,
  remoteWatch as remoteWatchSchema,
  schedule as scheduleSchema,
  waitFor as waitForSchema,
} from './trigger-schema.ts'

/** A trigger with the node that it was read from. */
export interface TriggerDraft {
  readonly trigger: Trigger
  readonly node: DocumentNode
}

/** The triggers of a document. */
export function readTriggers(
  root: DocumentNode,
  templates: TemplateReader,
  reporter: DiagnosticCollector,
): TriggerDraft[] {
  const ids = new Set<string>()
  return itemsOf(childOf(root, 'triggers'))
    .slice(0, MAX_DECLARATIONS)
    .flatMap((node) => {
      const idNode = childOf(node, 'id')
      const id = textOf(idNode)
      if (id !== undefined && idNode && ids.has(id)) {
        reporter.error({ code: 'duplicate-id', message: `there are two triggers ${id}` }, idNode)
      }
      if (id !== undefined) ids.add(id)
      const trigger = readTrigger(node, id ?? '', templates, reporter)
      return trigger ? [{ trigger, node }] : []
    })
}

function readTrigger(
  node: DocumentNode,
  id: string,
  templates: TemplateReader,
  reporter: DiagnosticCollector,
): Trigger | undefined {
  const schedule = childOf(node, 'schedule')
  const watch = childOf(node, 'watch')
  const after = childOf(node, 'after')
  const kinds = [schedule, watch, after].filter((kind) => kind !== undefined)
  if (kinds.length > 1) {
    const message = `a trigger is a schedule, a watch or an after, not ${kinds.length > 2 ? 'all' : 'both'}`
    reporter.wrongValue(message, node, kinds.length > 2 ? 'write three triggers' : 'write two triggers')
    return undefined
  }
  const inputs = templates.readEntries(childOf(node, 'inputs'))
  const condition = templates.readExpression(childOf(node, 'if'), 'if')
  const profiles = childOf(node, 'profiles')
  const base = {
    id,
    if: condition,
    inputs,
    at: reporter.positionOf(node),
    profiles: profiles && itemsOf(profiles).flatMap((name) => textOf(name) ?? []),
  }
  if (schedule) return { ...base, kind: 'schedule', ...readObject(scheduleSchema, schedule) }
  if (watch && childOf(watch, 'source')) return { ...base, ...readRemoteTrigger(watch) }
  if (watch) return { ...base, kind: 'watch', ...readObject(folderWatchSchema, watch) }
  if (after) return { ...base, kind: 'after', ...readObject(afterSchema, after) }
  // A key that belongs under schedule, watch or after has already been reported.
  const isMisplaced = entriesOf(node).some(([name]) =>
    [scheduleSchema, folderWatchSchema, remoteWatchSchema, afterSchema].some(({ properties }) =>
      Object.hasOwn(properties, name),
    ),
  )
  if (node.kind === 'map' && !isMisplaced) {
    const hint = 'write schedule: { cron: "0 2 * * *" }, watch: { path: inbox } or after: { pipelines: [nightly] }'
    reporter.error({ code: 'missing-key', message: 'a trigger needs schedule, watch or after', hint }, node)
  }
  return undefined
}

/** A watch with a source. Its mistakes are reported elsewhere. */
function readRemoteTrigger(watch: DocumentNode): Omit<RemoteTrigger, 'id' | 'profiles' | 'if' | 'inputs' | 'at'> {
  const { source, path, everyMs, settleMs, repeat, precheck } = readObject(remoteWatchSchema, watch)
  const [done, failed] = [actOf(childOf(watch, 'done')), actOf(childOf(watch, 'failed'))]
  const waitFor = waitForOf(childOf(watch, 'waitFor'))
  return { kind: 'remote', source, path, everyMs, settleMs, done, failed, repeat, precheck, waitFor }
}

function waitForOf(node: DocumentNode | undefined): WaitFor | undefined {
  if (!node) return undefined
  const { all, manifest, withinMs } = readObject(waitForSchema, node)
  if (manifest !== undefined) return { kind: 'manifest', pattern: manifest, withinMs }
  return { kind: 'all', patterns: all, withinMs }
}

function actOf(node: DocumentNode | undefined): RemoteAct {
  const folder = textOf(childOf(node, 'move'))
  if (folder !== undefined) return { act: 'move', folder }
  const [, key, value] = /^([^=]*)=(.*)$/.exec(textOf(childOf(node, 'tag')) ?? '') ?? []
  if (key !== undefined && value !== undefined) return { act: 'tag', key, value }
  return { act: textOf(node) === 'delete' ? 'delete' : 'keep' }
}
