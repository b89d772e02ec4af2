import type { Position } from '../core/diagnostic.ts'
import { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, entriesOf, itemsOf, textOf } from '../document/document-node.ts'
import { readYaml } from '../document/read-yaml.ts'

/** What one document needs to know about another. */
export interface OtherPipeline {
  readonly name: string
  /** The path that is shown for it. */
  readonly file: string
  /** The names of its outputs. */
  readonly outputs: readonly string[]
  /** The pipelines that its triggers come after, and where it names them. */
  readonly after: readonly { readonly name: string; readonly at: Position }[]
}

/** Finds a document by the name of its pipeline; `all` returns all names. */
export interface OtherPipelines {
  (name: string): OtherPipeline | undefined
  readonly all: () => readonly string[]
}

/** The outline of a document, whether or not the document is valid; undefined if it cannot be read, or has no name. */
export function outlineOf({ text, file }: { text: string; file: string }): OtherPipeline | undefined {
  const reporter = new DiagnosticCollector(file, text)
  const root = readYaml(text, reporter)
  const name = textOf(childOf(root, 'name'))
  if (name === undefined) return undefined
  const named = itemsOf(childOf(root, 'triggers')).flatMap((trigger) =>
    itemsOf(childOf(childOf(trigger, 'after'), 'pipelines')),
  )
  return {
    name,
    file,
    outputs: entriesOf(childOf(root, 'outputs')).map(([output]) => output),
    after: named.flatMap((node) => {
      const other = textOf(node)
      return other === undefined ? [] : [{ name: other, at: reporter.positionOf(node) }]
    }),
  }
}

/**
 * The documents of the pipelines that a pipeline comes after, directly or through others. Each document is listed once,
 * and the pipeline's own document is left out.
 */
export function documentsBefore(outline: OtherPipeline, others: OtherPipelines): readonly OtherPipeline[] {
  const found = new Map([[outline.name, outline]])
  for (const { after } of found.values())
    for (const { name } of after) {
      const other = found.has(name) ? undefined : others(name)
      if (other) found.set(name, other)
    }
  return [...found.values()].slice(1)
}
