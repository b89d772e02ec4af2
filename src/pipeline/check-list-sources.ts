import { didYouMean } from '../core/did-you-mean.ts'
import type { SourceUse } from '../core/list-source.ts'
import { whyNoRemotePattern } from '../core/remote-path.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import type { DocumentPolicy } from '../policy/document-policy.ts'
import type { StepDraft } from './read-steps.ts'

/**
 * Reports list sources that audience.yaml does not have, and paths and days that are missing, superfluous or wrong.
 * Checks nothing if the sources are not known.
 */
export function checkListSources(
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
    const use = known.get(name)
    if (use === undefined) {
      const hint = didYouMean(name, [...known.keys()]) ?? 'declare it in audience.yaml, under sources'
      reporter.error({ code: 'unknown-source', message: `audience.yaml has no source ${name}`, hint }, source)
      continue
    }
    const mistake = mistakeOf({ name, use }, textOf(childOf(from, 'path')), childOf(from, 'date'))
    if (!mistake) continue
    const { key, ...problem } = mistake
    reporter.error(problem, childOf(from, key) ?? source)
  }
}

interface Mistake {
  /** The key with the problem. */
  readonly key: 'source' | 'path' | 'date'
  readonly code: 'missing-input' | 'broken-rule' | 'wrong-value'
  readonly message: string
  readonly hint: string
}

function mistakeOf(
  { name, use }: { name: string; use: SourceUse },
  path: string | undefined,
  date: DocumentNode | undefined,
): Mistake | undefined {
  if (use.remote === undefined && path !== undefined) {
    const message = `source ${name} takes no path: it is on this machine`
    return { key: 'path', code: 'broken-rule', message, hint: 'leave the path out' }
  }
  if (use.remote !== undefined && path === undefined) {
    const message = `source ${name} needs a path: it is on another machine`
    const hint = 'name a folder there, and which files: path: "crm/*.csv"'
    return { key: 'source', code: 'missing-input', message, hint }
  }
  const why = path === undefined ? undefined : whyNoRemotePattern(path.replace(UNKNOWN, 'x'))
  if (why !== undefined) {
    const message = `${JSON.stringify(path)} is not a path of a source: ${why}`
    return { key: 'path', code: 'wrong-value', message, hint: 'such as "crm/{date}/*.parquet"' }
  }
  const isDated = use.isDated || path?.includes('{date}') === true
  if (isDated && !date) {
    const hint = 'add the day: date: "${{ trigger.date }}"'
    return { key: 'source', code: 'missing-input', message: `source ${name} needs a date: it contains {date}`, hint }
  }
  if (isDated || !date || path?.includes('${{')) return undefined
  const message = `source ${name} takes no date: it does not contain {date}`
  return { key: 'date', code: 'broken-rule', message, hint: 'leave the date out' }
}

/** Parts of a path that only a run knows. */
const UNKNOWN = /\{date\}|\$\{\{.*?\}\}/g
