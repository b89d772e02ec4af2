import { didYouMean } from '../core/did-you-mean.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import type { StepDraft } from './read-steps.ts'

/** Reports sources that audience.yaml does not have, and days that are missing or too many; if the sources are known. */
export function checkSources(
  drafts: readonly StepDraft[],
  policy: DocumentPolicy,
  reporter: DiagnosticCollector,
): void {
  const known = policy.sources()
  if (!known) return
  for (const { step, withEntry } of drafts) {
    if (step.uses !== 'files.prepare') continue
    const from = childOf(withEntry?.value, 'from')
    const source = childOf(from, 'source')
    const name = textOf(source)
    if (!from || !source || name === undefined || name.includes('${{')) continue
    const isDated = known.get(name)
    const date = childOf(from, 'date')
    if (isDated === undefined) {
      const hint = didYouMean(name, [...known.keys()]) ?? 'declare it in audience.yaml, under sources'
      reporter.error({ code: 'unknown-source', message: `audience.yaml has no source ${name}`, hint }, source)
    } else if (isDated && !date) {
      const hint = 'add the day: date: "${{ trigger.date }}"'
      reporter.error({ code: 'missing-input', message: `source ${name} needs a date: it has {date}`, hint }, source)
    } else if (!isDated && date) {
      const message = `source ${name} takes no date: it has no {date}`
      reporter.error({ code: 'broken-rule', message, hint: 'leave the date out' }, date)
    }
  }
}
