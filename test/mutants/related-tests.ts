import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/** How many test files run first, and how many count as near, besides all files of the mirrored folder. */
const NEAREST = 6
const NEAR = 16

/** Tests with kills, pauses or a browser come last. */
const SYSTEM = /^test\/(e2e|soak|console\/browser)\//

/** The test files that reach a file of `src` through their imports, in the order in which they run. */
export interface RelatedTests {
  readonly nearest: readonly string[]
  readonly near: readonly string[]
  /** All other tests, with tests of whole systems last. */
  readonly far: readonly string[]
}

/**
 * The nearest test has the same name; then come those with the fewest files of `src` in between. Among tests with
 * equally many, those in the mirrored folder come first.
 */
export function relatedTests(root: string): (file: string) => RelatedTests {
  const importers = importersOf(root)
  return (file) => {
    const distances = distancesFrom(file, importers)
    const tests = [...distances].filter(([name]) => name.endsWith('.test.ts'))
    const own = mirroredFolder(file, tests)
    const namesake = `${basename(file, '.ts')}.test.ts`
    const order = ([name, distance]: [string, number]) =>
      (basename(name) === namesake ? 0 : distance * 4) +
      (dirname(name) === own ? 0 : name.startsWith(own) ? 1 : 2) +
      (SYSTEM.test(name) ? 1000 : 0)
    const sorted = tests.sort((a, b) => order(a) - order(b)).map(([name]) => name)
    const isNear = (name: string, at: number) => (at < NEAR && !SYSTEM.test(name)) || dirname(name) === own
    const near = sorted.filter(isNear)
    return {
      nearest: near.slice(0, NEAREST),
      near: near.slice(NEAREST),
      far: sorted.filter((name, at) => !isNear(name, at)),
    }
  }
}

function importersOf(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  )
  const importers = new Map<string, Set<string>>()
  for (const file of files)
    for (const imported of importsOf(root, file)) {
      const known = importers.get(imported) ?? new Set()
      importers.set(imported, known.add(file))
    }
  return importers
}

/** The nearest folder with tests: those of `src/console/server/handlers` lie in `test/console`. */
function mirroredFolder(file: string, tests: readonly (readonly [string, number])[]): string {
  let folder = dirname(file).replace(/^src/, 'test')
  while (folder !== 'test' && !tests.some(([name]) => dirname(name) === folder)) folder = dirname(folder)
  return folder
}

/** Helpers of tests do not count. */
function distancesFrom(file: string, importers: ReadonlyMap<string, ReadonlySet<string>>): Map<string, number> {
  const distances = new Map([[file, 0]])
  const queue = [file]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const importer of importers.get(at) ?? []) {
      const distance = (distances.get(at) ?? 0) + (importer.startsWith('src') ? 1 : 0)
      if (distance >= (distances.get(importer) ?? Number.POSITIVE_INFINITY)) continue
      distances.set(importer, distance)
      queue.push(importer)
    }
  }
  return distances
}

function importsOf(root: string, file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^import type [^;]*?from '.*'$/gm, '')
  // Also the file of a thread, which only the source names.
  const names = [...text.matchAll(/'(\.\.?\/[^']+\.tsx?)'/g)].map(([, name]) => name)
  // A process that a test starts, as in join(import.meta.dirname, 'worker.ts').
  const started = [...text.matchAll(/import\.meta\.dirname, '([^']+\.ts)'/g)].map(([, name]) => name)
  const built = text.includes("'dist/main.js'") ? ['src/main.ts'] : []
  return [...[...names, ...started].map((name = '') => relative(root, resolve(root, dirname(file), name))), ...built]
}
