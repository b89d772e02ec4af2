import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { requireFreshBuild } from './support/fresh-build.ts'

requireFreshBuild()

/**
 * The files of the built command. Files that are loaded on demand do not count, because they do not slow down a start.
 */
const chunks = resolve(import.meta.dirname, '../dist/chunks')
const imports = new Map(
  filesOf(chunks).map((file) => {
    const statements = readFileSync(resolve(chunks, file), 'utf8').matchAll(
      /^(?:import|export)\b[^;]*?["']\.\/([^"']+)["'];$/gm,
    )
    return [file, [...statements].map(([, to = '']) => to)]
  }),
)

/** The names of the layers in `rolldown.config.mjs`, with the file that rolldown adds. */
const LAYERS = ['rolldown-runtime', 'first', 'core', 'command', 'settings', 'documents', 'history', 'work']

test.each(LAYERS.entries().toArray())('%i: %s loads earlier layers and nothing else', (at, layer) => {
  const [file, ...more] = [...imports.keys()].filter((name) => nameOf(name) === layer)
  expect(more).toEqual([])
  expect([...loadedBy(file ?? '')].map(nameOf).filter((name) => !LAYERS.slice(0, at + 1).includes(name))).toEqual([])
})

test('--version loads nothing but the version', () => {
  const [version = ''] = [...imports.keys()].filter((name) => nameOf(name) === 'version')
  expect([...loadedBy(version)].map(nameOf)).toEqual(['version', 'first'])
})

test('Node keeps the compiled code of all layers but the first, which is loaded before it may', () => {
  const [folder = ''] = [...imports.keys()].filter((name) => nameOf(name) === 'compiled-code-folder')
  expect([...loadedBy(folder)].map(nameOf)).toEqual(['compiled-code-folder', 'first'])
})

test('a command that sends no requests does not load node:http, which loads undici again', () => {
  const [validate = ''] = [...imports.keys()].filter((name) => nameOf(name) === 'validate-documents')
  const importing = [...loadedBy(validate)].filter((file) =>
    /\bfrom ["'](node:)?https?["']/.test(readFileSync(resolve(chunks, file), 'utf8')),
  )
  expect(importing).toEqual([])
})

test('the daemon loads a few files, and neither the embedded service nor the console before it needs them', () => {
  const [daemon = ''] = [...imports.keys()].filter((name) => nameOf(name) === 'start-daemon')
  const loaded = [...loadedBy(daemon)]
  expect(loaded.length).toBeLessThan(20)
  const lazy = ['service', 'start-console', 'console-requests', 'undici', 'nodemailer']
  expect(loaded.map(nameOf).filter((name) => lazy.includes(name))).toEqual([])
})

test('the thread that reads the state loads nothing of the layers: in a heap of its own they would take megabytes', () => {
  const program = readFileSync(resolve(chunks, '../read-worker.js'), 'utf8')
  const imported = [...program.matchAll(/\bimport\b[^;]*?["'](\.\/[^"']+)["']/g)].map(([, file]) => file)
  expect(imported.length).toBeGreaterThan(0)
  expect(imported.filter((file) => !file?.startsWith('./chunks/read-worker/'))).toEqual([])
})

function filesOf(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.js'))
}

function loadedBy(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  const found = imports.get(file)
  if (!found) throw new Error(`dist/chunks has no ${file}`)
  if (!loaded.has(file)) for (const to of found.values()) loadedBy(to, loaded.add(file))
  return loaded.add(file)
}

/** Without the hash. */
function nameOf(file: string): string {
  return file.replace(/-[\w-]{8}\.js$/, '')
}
