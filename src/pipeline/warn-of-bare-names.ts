import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import type { ScalarNode } from '../document/document-node.ts'

/** The names that expressions read under `inputs`, `variables`, `env` and `steps`. */
export type KnownNames = Readonly<Record<'inputs' | 'variables' | 'env' | 'steps', Iterable<string>>>

/** Warns of texts that are nothing but a name that expressions know, such as `inputs.title`: its braces were forgotten. */
export function warnOfBareNames(texts: readonly ScalarNode[], known: KnownNames, reporter: DiagnosticCollector): void {
  for (const text of texts) {
    const [root = '', name = ''] = String(text.value).split('.')
    if (!new Set(known[root as keyof KnownNames]).has(name)) continue
    const problem = {
      code: 'bare-name',
      message: `${text.value} is plain text here`,
      hint: `write "\${{ ${text.value} }}"`,
    }
    reporter.warning(problem, text)
  }
}
