import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const tests = join(root, 'test')

/** The folders with tests of whole systems. These tests wait for most of their time. */
const WHOLE_SYSTEMS = ['test/e2e', 'test/soak', 'test/console/browser', 'test/console/daemon']

/**
 * Groups of test files, as patterns: commands that are killed, workers and a browser; what an attacker tries; and what
 * has a long form (`is-long.ts`).
 */
const GROUPS = {
  system: () => WHOLE_SYSTEMS.map((folder) => `${folder}/**/*.test.ts`),
  attack: () => ['test/**/*.attack.test.ts'],
  long: () =>
    globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
      /\bisLong\b|\btries\(/.test(textOf(join(root, file))),
    ),
}

/** The groups that a variable of the environment names, with commas between them. */
function named(variable: 'LEAVE_OUT' | 'ONLY'): (keyof typeof GROUPS)[] {
  const names = (process.env[variable] ?? '').split(',').filter((name) => name !== '')
  return names.map((name) => {
    if (name in GROUPS) return name as keyof typeof GROUPS
    throw new Error(`${variable}: there is no group ${name} of tests, only ${Object.keys(GROUPS).join(', ')}`)
  })
}

const left = named('LEAVE_OUT')
const only = named('ONLY')

/** The files to run, and the files to leave out, as patterns: as `LEAVE_OUT` and `ONLY` say. */
export const included = only.length > 0 ? only.flatMap((group) => GROUPS[group]()) : ['test/**/*.test.ts']
export const leftOut = left.flatMap((group) => GROUPS[group]())

/** Whether a file, as a path below the root of the project, is among those to run. Files left out count, too. */
export const isIncluded = (path: string) => included.some((pattern) => matchesGlob(path, pattern))

/** Whether `npm test` runs: it leaves out whole systems, and has four minutes on two processors. */
export const isBrief = left.includes('system')

/** Whether a file, as a path below the root of the project, is a test of a whole system. */
export const isWholeSystem = (path: string) => WHOLE_SYSTEMS.some((folder) => path.startsWith(`${folder}/`))

/** The text of a test file and of what it imports below test/: a file of three lines may run a suite of a thousand. */
export function textOf(file: string): string {
  const text = readFileSync(file, 'utf8')
  const imported = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
  const helpers = imported.filter((path) => path.startsWith(tests))
  return [text, ...helpers.map((path) => readFileSync(path, 'utf8'))].join('\n')
}
