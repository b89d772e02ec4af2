import { readdirSync, readFileSync } from 'node:fs'
import type { Diagnostic } from '../../src/core/diagnostic.ts'

const folder = new URL('../fixtures/pipeline/', import.meta.url)

export interface Fixture {
  readonly name: string
  /** The document, the expectation at its end included: that is a comment. */
  readonly text: string
  /** `line:column+length severity code: message | hint`, in the order of the document. */
  readonly expected: readonly string[]
}

/** The documents under test/fixtures/pipeline/. A line that begins with `#>` is a diagnostic that loading has to give. */
export function fixtures(): Fixture[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  return names.map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const expected = text.split('\n').filter((line) => line.startsWith('#> '))
    return { name, text, expected: expected.map((line) => line.slice(3)) }
  })
}

/** A diagnostic as the fixtures write it. */
export function written({ severity, code, message, hint, at }: Diagnostic): string {
  const length = at?.length === undefined ? '' : `+${at.length}`
  return `${at?.line}:${at?.column}${length} ${severity} ${code}: ${message}${hint ? ` | ${hint}` : ''}`
}
