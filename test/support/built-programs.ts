import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { isFreshBuild } from './fresh-build.ts'

// If the programs of processes and threads start from their source, they need two to three times the processor time to
// start: 0.4 s for DuckDB, 0.2 s for the thread, 0.5 s for a world. So tests start them from dist/ unless it is older
// than src. This file is loaded before Vitest.

const dist = resolve(import.meta.dirname, '../../dist')

/**
 * For each program: the file that names it, the text with which the file does so, the name of the program in dist/, and
 * the variable with which a test names another program.
 */
const PROGRAMS = [
  ['/src/lists/start-sandbox.ts', "'./sandbox-process.ts'", 'sandbox-process.js', 'BUILT_SANDBOX'],
  ['/src/app/read-thread.ts', "'./read-worker.ts'", 'read-worker.js', 'BUILT_READER'],
  // The same file starts two programs.
  ['/src/rehearsal/world-process.ts', '`./${name}.ts`', '${name}.js', 'BUILT_WORLD'],
] as const

// Threads and forked processes load this again, with the environment of the first.
if (!('BUILT_SANDBOX' in process.env) && isFreshBuild())
  for (const [, , program, variable] of PROGRAMS) process.env[variable] = resolve(dist, program)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const [, named, , variable] = PROGRAMS.find(([file]) => url.endsWith(file)) ?? []
    if (named === undefined) return loaded
    const code = String(loaded.source)
    if (!code.includes(named)) throw new Error(`${url} does not name its program as before`)
    const built = `process.env.${variable}?.replace('\${name}', () => name)`
    return { ...loaded, source: code.replace(named, () => `(${built} ?? ${named})`) }
  },
})
