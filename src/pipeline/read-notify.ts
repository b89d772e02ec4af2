import { didYouMean } from '../core/did-you-mean.ts'
import { type DocumentRule, NOTIFY_EVENTS, SEVERITIES } from '../core/notify-rule.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, itemsOf, textOf } from '../document/document-node.ts'
import { optionOf } from './read-value.ts'

/** A document's `notify`. Channel names are checked if the existing channels are known. */
export function readNotify(
  node: DocumentNode | undefined,
  channels: (() => readonly string[] | undefined) | undefined,
  reporter: DiagnosticCollector,
): DocumentRule | undefined {
  if (!node) return undefined
  const to = childOf(node, 'to')
  const on = childOf(node, 'on')
  const severity = childOf(node, 'severity')
  const known = to && channels?.()
  for (const item of known ? itemsOf(to) : []) {
    const name = textOf(item)
    if (name === undefined || known?.includes(name)) continue
    const hint = didYouMean(name, known ?? []) ?? 'declare it in audience.yaml, under notify.channels'
    reporter.error({ code: 'unknown-channel', message: `audience.yaml has no channel ${name}`, hint }, item)
  }
  return {
    to: to && itemsOf(to).flatMap((item) => textOf(item) ?? []),
    on: on && itemsOf(on).flatMap((item) => optionOf(NOTIFY_EVENTS, item) ?? []),
    severity: severity && optionOf(SEVERITIES, severity),
  }
}
