import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { type DocumentNode, entriesOf, itemsOf } from '../document/document-node.ts'

/** The names that expressions of a place read under `inputs`, `variables`, `env` and `steps`. */
type KnownNames = Readonly<Partial<Record<'inputs' | 'variables' | 'env' | 'steps', readonly string[]>>>

/** Warns of texts that are only a name that expressions know, such as `inputs.title`: its braces were forgotten. */
export function warnOfBareNames(
  node: DocumentNode | undefined,
  known: KnownNames,
  reporter: DiagnosticCollector,
): void {
  if (node?.kind === 'map') for (const [, { value }] of entriesOf(node)) warnOfBareNames(value, known, reporter)
  for (const item of itemsOf(node)) warnOfBareNames(item, known, reporter)
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || !isBareName(node.value, known)) return
  const problem = {
    code: 'bare-name',
    message: `${node.value} is plain text here`,
    hint: `write "\${{ ${node.value} }}"`,
  }
  reporter.warning(problem, node)
}

/** A longer name, such as `inputs.list.csv`, may be that of a file. */
const BARE_NAME = /^(?:(inputs|variables|env)\.(\w+)|(steps)\.(\w+)\.outputs(?:\.\w+)*)$/

/** Whether a text is the name of an input, a variable, an environment variable or the outputs of a step. */
function isBareName(text: string, known: KnownNames): boolean {
  const [, root = 'steps', name, , step] = BARE_NAME.exec(text) ?? []
  return known[root as keyof KnownNames]?.includes(name ?? step ?? '') ?? false
}
