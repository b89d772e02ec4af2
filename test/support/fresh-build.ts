import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
let hasLooked = false

/** Throws if `dist/` is older than its source, because a test would then test other code. Checks only once. */
export function requireFreshBuild(): void {
  if (hasLooked) return
  const newer = newerThanBuild()
  if (newer !== undefined) throw new Error(`${newer} has changed since dist/ was built: npm run build`)
  hasLooked = true
}

export function isFreshBuild(): boolean {
  return newerThanBuild() === undefined
}

/** The files that a build reads besides src. */
const ALSO_READ = ['package-lock.json', 'rolldown.config.mjs', 'rolldown.console.mjs']

/** A file that a build reads and that has changed since. */
function newerThanBuild(): string | undefined {
  const built = mtimeOf(join(root, 'dist/main.js'))
  const read = [...namesBelow(join(root, 'src')), ...ALSO_READ.map((name) => join(root, name))]
  return read.find((file) => mtimeOf(file) > built)
}

/** Except for the files that the build writes. */
function namesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'generated' ? [] : namesBelow(path)
  })
}

/** 0 if the file does not exist. */
function mtimeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
