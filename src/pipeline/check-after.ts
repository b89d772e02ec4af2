import { formatPosition } from '../core/diagnostic.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, itemsOf, textOf } from '../document/document-node.ts'
import type { OtherPipelines } from './outline.ts'
import type { TriggerDraft } from './read-triggers.ts'

/** Checks the pipelines that triggers come after: they must exist, and must not come after this one. */
export function checkAfter(
  name: string,
  drafts: readonly TriggerDraft[],
  others: OtherPipelines,
  reporter: DiagnosticCollector,
): void {
  for (const { trigger, node } of drafts) {
    if (trigger.kind !== 'after') continue
    for (const item of itemsOf(childOf(childOf(node, 'after'), 'pipelines'))) {
      const other = textOf(item)
      if (other === undefined) continue
      if (other !== name && !others(other)) {
        const hint = didYouMean(other, others.all()) ?? 'use the `name` that is in the document of that pipeline'
        reporter.error({ code: 'missing-pipeline', message: `there is no pipeline ${other}`, hint }, item)
        continue
      }
      const way = other === name ? [] : wayTo(name, other, others)
      if (!way) continue
      const circle = [name, other, ...way.map(({ name: next, at }) => `${next} (${at})`)].join(' → ')
      const message = `pipelines come after each other in a circle: ${circle}`
      reporter.error({ code: 'pipelines-circle', message, hint: 'remove one of these triggers' }, item)
    }
  }
}

/**
 * The shortest chain from a pipeline back to itself through the pipelines that it comes after, with the position where
 * each is named.
 */
function wayTo(
  target: string,
  from: string,
  others: OtherPipelines,
): readonly { readonly name: string; readonly at: string }[] | undefined {
  const seen = new Set([from])
  let ways = [{ end: from, way: [] as { name: string; at: string }[] }]
  while (ways.length > 0) {
    const next: typeof ways = []
    for (const { end, way } of ways) {
      for (const { name, at } of others(end)?.after ?? []) {
        const longer = [...way, { name, at: formatPosition(at) }]
        if (name === target) return longer
        if (seen.has(name)) continue
        seen.add(name)
        next.push({ end: name, way: longer })
      }
    }
    ways = next
  }
  return undefined
}
