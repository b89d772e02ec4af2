import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Diagnostic } from '../../src/core/diagnostic.ts'
import type { FilesOfMachine } from '../../src/pipeline/check-files-exist.ts'

const folder = new URL('../fixtures/pipeline/', import.meta.url)

export interface Fixture {
  readonly name: string
  /** The document, including the expectation at its end, which is a comment. */
  readonly text: string
  /** `line:column+length severity code: message | hint`, in the order of the document. */
  readonly expected: readonly string[]
  /** The files of the machine beside the document, from its line `#files:`; undefined if it has none. */
  readonly files: FilesOfMachine | undefined
}

/** The documents under test/fixtures/pipeline/. A line that begins with `#>` is an expected diagnostic. */
export function fixtures(): Fixture[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  return names.map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    const expected = text.split('\n').filter((line) => line.startsWith('#> '))
    const names = /^#files: (.*)$/m.exec(text)?.[1]?.split(' ')
    return { name, text, expected: expected.map((line) => line.slice(3)), files: names && filesOf(names) }
  })
}

function filesOf(paths: readonly string[]): FilesOfMachine {
  const all = paths.map((path) => resolve(path))
  return {
    isFile: (path) => all.includes(path),
    whyUnseen: () => undefined,
    namesIn: (folder) => all.filter((path) => dirname(path) === folder).map((path) => basename(path)),
  }
}

/** A diagnostic in the notation of the fixtures. */
export function written({ severity, code, message, hint, at }: Diagnostic): string {
  const length = at?.length === undefined ? '' : `+${at.length}`
  return `${at?.line}:${at?.column}${length} ${severity} ${code}: ${message}${hint ? ` | ${hint}` : ''}`
}
