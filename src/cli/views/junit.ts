import { relative } from 'node:path'
import { printable } from '../../core/printable.ts'
import type { FileResult } from '../../rehearsal/run-test-files.ts'

/** The results as JUnit XML, as CI systems read it: a suite for each file. */
export function junitOf(files: readonly FileResult[], cwd: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${files.map((file) => suiteOf(file, cwd)).join('')}</testsuites>\n`
}

function suiteOf({ file, results, broken }: FileResult, cwd: string): string {
  const name = relative(cwd, file)
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const cases = results.map(({ it, failures, open: notEnded }) => {
    const open = `    <testcase classname="${xml(name)}" name="${xml(it)}"`
    if (failures.length === 0) return `${open}/>\n`
    const text = failures.map(
      ({ at, what, expected, seen }) => `${name}:${at.line} ${what}\nexpected ${expected}\nseen ${seen}`,
    )
    return `${open}>\n      <failure message="${xml(failures[0]?.what ?? '')}">${xml([...text, ...notEnded.map((line) => `open: ${line}`)].join('\n\n'))}</failure>\n    </testcase>\n`
  })
  if (broken)
    cases.push(
      `    <testcase classname="${xml(name)}" name="all tests"><error message="${xml(broken.message)}"/></testcase>\n`,
    )
  const count = results.length + (broken ? 1 : 0)
  return `  <testsuite name="${xml(name)}" tests="${count}" failures="${failed}" errors="${broken ? 1 : 0}">\n${cases.join('')}  </testsuite>\n`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML, which cannot contain control characters, unpaired surrogates, U+FFFE or U+FFFF. */
function xml(text: string): string {
  const lines = text
    .toWellFormed()
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .split('\n')
    .map(printable)
  return lines.join('\n').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)
}
