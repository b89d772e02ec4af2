import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { lint, lintedBy } from './support/lint-rule.ts'

/* The linter finds figures for people that are not written by src/core/format/. */

const root = resolve(import.meta.dirname, '..')
const rule = readFileSync(join(root, 'lint/formats.grit'), 'utf8')
/** The files that may do so according to the rule, besides the folder itself. */
const exceptions = [...rule.matchAll(/r"\.\*\/(src\/.*)\\\.ts"/g)].map(([, file = '']) => `${file}.ts`)

const PLANTED = `export const found = (ms: number, bytes: number, share: number, rows: number, days: number) => [
  \`no answer within \${ms / 1000} s\`, // found
  \`no answer for \${ms / 60_000} minutes: it stood still\`, // found
  \`at most \${bytes / 1_000_000} MB\`, // found
  \`more than \${bytes} bytes\`, // found
  \`about \${share * 100} % of the rows\`, // found
  \`the last \${days} days, and no more\`, // found
  \`more than \${MAX_ROWS} rows\`, // found
  \`the set has \${MOST_FILES} files, so it is not taken\`, // found
  \`\${rows} \${rows === 1 ? 'row' : 'rows'}\`, // found
  rows === 1 ? '1 row' : \`\${rows} rows\`, // found
  share.toFixed(1), // found
  share.toPrecision(4), // found
  rows.toLocaleString('en'), // found
  new Intl.NumberFormat('en').format(rows), // found
]
export const Found = ({ days }: { days: number }) => (
  <p>
    <b>{days} days</b> // found
  </p>
)
export const others = (text: string, rows: number) => [
  \`\${text} says so\`,
  \`\${text} s3 bucket\`,
  \`\${text} d'Arc\`,
  \`\${rows} rows \${rows === 1 ? 'was' : 'were'} read\`,
  \`at most \${count(MAX_ROWS, 'row')}\`,
  \`the limit is \${MAX_ROWS}; it was \${text}\`,
  \`write \${text}s\`,
  \`width: \${rows}%\`,
  \`\${rows === 1 ? 'line' : 'lines'} \${text}\`,
  rows === 1 ? 'once' : \`\${rows} times\`,
  text.length % 2 === 1 ? 'odd' : 'even',
  new Intl.DateTimeFormat('en', { timeZone: text }),
]
`

test('each figure that is written by hand is found, and nothing else is', async () => {
  const folder = lintedBy(rule)
  writeFileSync(join(folder, 'src/planted.tsx'), PLANTED)
  const lines = PLANTED.split('\n').flatMap((line, index) => (line.endsWith('// found') ? [index + 1] : []))
  const found = await lint(folder)
  expect([...new Set(found.map(({ line }) => line))]).toEqual(lines)
  expect(found[0]?.message).toContain('src/core/format')
})

test('each exception of the rule is a file that needs it', async () => {
  const folder = lintedBy(rule.replace(/not or \{[^}]*\}/, 'not r"none"'))
  for (const file of exceptions) cpSync(join(root, file), join(folder, file))
  const found = await lint(folder)
  expect([...new Set(found.map(({ file }) => file))].toSorted()).toEqual(exceptions.toSorted())
})

test('the linter applies the rule to all of src/', () => {
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { plugins: readonly object[] }
  expect(config.plugins).toContainEqual({ path: './lint/formats.grit', includes: ['src/**'] })
})
