import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import type { Span } from '../document/document-node.ts'
import { NAME_PATTERN } from './schema-parts.ts'

/** Reports a name that an expression cannot write after a dot. */
export function isMisnamed(name: string, what: string, key: Span, reporter: DiagnosticCollector): boolean {
  if (new RegExp(NAME_PATTERN).test(name) && name !== '__proto__') return false
  const message = `${name} cannot be the name of ${what}`
  reporter.error({ code: 'wrong-name', message, hint: 'use letters, digits and _, beginning with a letter' }, key)
  return true
}
