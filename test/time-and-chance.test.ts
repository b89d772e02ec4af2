import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { lint, lintedBy } from './support/lint-rule.ts'

/* The linter finds every file that takes time or randomness from anywhere but its caller. */

const root = resolve(import.meta.dirname, '..')
const rule = readFileSync(join(root, 'lint/time-and-chance.grit'), 'utf8')
/** The files that may do so according to the rule. */
const exceptions = [...rule.matchAll(/r"\.\*\/(src\/.*)\\\.ts"/g)].map(([, file = '']) => `${file}.ts`)

const PLANTED = `import { setImmediate } from 'node:timers/promises'
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
`

test('each way to a clock, a timer or a random number is found, and nothing else is', async () => {
  const folder = lintedBy(rule)
  writeFileSync(join(folder, 'src/planted.ts'), PLANTED)
  const lines = PLANTED.split('\n').flatMap((line, index) => (line.endsWith('// found') ? [index + 1] : []))
  const found = await lint(folder)
  expect([...new Set(found.map(({ line }) => line))]).toEqual(lines)
  expect(found[0]?.message).toContain('Surroundings')
})

test('each exception of the rule is a file that needs it', async () => {
  const folder = lintedBy(rule.replace(/not or \{[^}]*\}/, 'not r"none"'))
  for (const file of exceptions) cpSync(join(root, file), join(folder, file))
  const found = await lint(folder)
  expect([...new Set(found.map(({ file }) => file))].toSorted()).toEqual(exceptions.toSorted())
  expect(exceptions.length).toBeGreaterThan(5)
})

test('no file of src/ switches the rule off', () => {
  const config = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { plugins: readonly object[] }
  expect(config.plugins).toContainEqual({ path: './lint/time-and-chance.grit', includes: ['src/**'] })
  const off = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) =>
    /biome-ignore(?:-all|-start)? (?:lint: |lint\/plugin)/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(off).toEqual([])
})
