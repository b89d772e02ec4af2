import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lint, lintedBy } from './support/lint-rule.ts'

const root = resolve(import.meta.dirname, '..')

interface Rule {
  /** What its message tells people to use. */
  says: string
  /** A file in which it finds the lines with the mark, and no others. */
  planted: string
}

const RULES: Readonly<Record<string, Rule>> = {
  formats: {
    says: 'src/core/format',
    planted: `export const found = (ms: number, bytes: number, share: number, rows: number, days: number) => [
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
`,
  },
  parameters: {
    says: 'not `readonly`',
    planted: `export interface WorkOptions {
  readonly a: string // found
  b: string
}
export interface Stored {
  readonly a: string
  write(how: { readonly b: string }): void // found
  readonly onEnd: (end: { readonly c: string }) => void // found
}
export type Kept = { readonly a: string }
export function read({ a }: { readonly a: string }): { readonly b: string } { // found
  const found: { readonly b: string } = { b: a }
  return found
}
export const count = (rows: readonly { readonly a: string }[]) => rows.length // found
export const size = (rows: readonly string[], all: ReadonlyMap<string, number>) => rows.length + all.size
export class Held {
  readonly a = 1
  constructor(private readonly deps: Stored) {}
}
`,
  },
  'time-and-chance': {
    says: 'Surroundings',
    planted: `import { setImmediate } from 'node:timers/promises'
import timers from 'node:timers' // found
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises' // found
import * as all from 'timers/promises' // found
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '../platform/clock.ts'
export const found = [
  Math.random(), // found
  Date.now(), // found
  new Date(), // found
  Date(), // found
  performance.now(), // found
  process.hrtime.bigint(), // found
  AbortSignal.timeout(5), // found
  setTimeout(() => undefined), // found
  setInterval(() => undefined).unref(), // found
  globalThis.setTimeout(() => undefined), // found
  { setTimeout }, // found
  { random: Math.random }, // found
  systemClock.now(), // found
  await import('node:timers/promises'), // found
]
const { now } = Date // found
const { random } = Math // found
export type Held = ReturnType<typeof setTimeout> // found
export const others = [new Date(5), Date.parse('2026-11-28'), setImmediate, nextTurn, clearTimeout, Math.max(1, 2)]
export const named = [{ setTimeout: 1 }.setTimeout, performance.eventLoopUtilization(), process.pid]
export const used = [turn, sleep, timers, all, now, random]
`,
  },
}

const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { plugins: readonly object[] }

test('the linter applies each rule of lint/ to all of src/, and no file switches one off', () => {
  const files = globSync('lint/*.grit', { cwd: root }).toSorted()
  expect(files).toEqual(Object.keys(RULES).map((name) => `lint/${name}.grit`))
  expect(config.plugins).toHaveLength(files.length)
  for (const file of files) expect(config.plugins).toContainEqual({ path: `./${file}`, includes: ['src/**'] })
  const off = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) =>
    /biome-ignore(?:-all|-start)? (?:lint: |lint\/plugin)/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(off).toEqual([])
})

describe.each(Object.entries(RULES))('lint/%s.grit', (name, { says, planted }) => {
  const rule = readFileSync(join(root, `lint/${name}.grit`), 'utf8')
  /** The files that may break the rule, according to itself. */
  const exceptions = [...rule.matchAll(/r"\.\*\/(src\/.*)\\\.ts"/g)].map(([, file = '']) => `${file}.ts`)

  test('finds each line that breaks it, and no other', async () => {
    const folder = lintedBy(rule)
    writeFileSync(join(folder, 'src/planted.tsx'), planted)
    const lines = planted.split('\n').flatMap((line, index) => (line.endsWith('// found') ? [index + 1] : []))
    const found = await lint(folder)
    expect([...new Set(found.map(({ line }) => line))]).toEqual(lines)
    expect(found[0]?.message).toContain(says)
  })

  test('needs each of its exceptions', async () => {
    const folder = lintedBy(rule.replace(/not or \{[^}]*\}/, 'not r"none"'))
    for (const file of exceptions) cpSync(join(root, file), join(folder, file))
    const found = await lint(folder)
    expect([...new Set(found.map(({ file }) => file))].toSorted()).toEqual(exceptions.toSorted())
  })
})
