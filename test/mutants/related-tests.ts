import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/**
 * How many files of tests are asked of each file: the nearest, and all of the mirrored folder. What they miss, those
 * further away notice by chance.
 */
const MOST = 16

/** They take minutes: kills, pauses, a browser. */
const SYSTEM = /^test\/(e2e|soak|console\/browser)\//

/** Those of them whose processes, or whose own code, are of `dist/`: they need a build. */
export function testsOfBuild(root: string): ReadonlySet<string> {
  const importers = importersOf(root)
  return new Set(['src/main.ts', 'test/support/fresh-build.ts'].flatMap((file) => testsFrom(file, importers)))
}

/**
 * The test files that lead to a file of `src` by their imports, nearest first: fewest files of `src` in between, then those
 * of the mirrored folder.
 */
export function relatedTests(root: string): (file: string) => readonly string[] {
  const importers = importersOf(root)
  return (file) => {
    const distances = distancesFrom(file, importers)
    const tests = [...distances].filter(([name]) => name.endsWith('.test.ts') && !SYSTEM.test(name))
    const own = mirroredFolder(file, tests)
    const order = ([name, distance]: [string, number]) =>
      distance * 4 + (dirname(name) === own ? 0 : name.startsWith(own) ? 1 : 2)
    const sorted = tests.sort((a, b) => order(a) - order(b)).map(([name]) => name)
    return sorted.filter((name, at) => at < MOST || dirname(name) === own)
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

function testsFrom(file: string, importers: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  return [...distancesFrom(file, importers).keys()].filter((name) => name.endsWith('.test.ts'))
}

/** The nearest folder with tests: those of `src/console/server/handlers` lie in `test/console`. */
function mirroredFolder(file: string, tests: readonly (readonly [string, number])[]): string {
  let folder = dirname(file).replace(/^src/, 'test')
  while (folder !== 'test' && !tests.some(([name]) => dirname(name) === folder)) folder = dirname(folder)
  return folder
}

/** Helpers of tests count nothing. */
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
  // Also that of a thread, which only the source names as a file of its own.
  const names = [...text.matchAll(/'(\.\.?\/[^']+\.tsx?)'/g)].map(([, name]) => name)
  // A process that a test starts, as in join(import.meta.dirname, 'worker.ts').
  const started = [...text.matchAll(/import\.meta\.dirname, '([^']+\.ts)'/g)].map(([, name]) => name)
  const built = text.includes("'dist/main.js'") ? ['src/main.ts'] : []
  return [...[...names, ...started].map((name = '') => relative(root, resolve(root, dirname(file), name))), ...built]
}
