import { existsSync, statfsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isFreshBuild } from './test/support/fresh-build.ts'
import { isLong } from './test/support/is-long.ts'
import { LongestFirst, WHOLE_SYSTEMS } from './test/support/longest-first.ts'

/** How long a test may take. In its long form it may take hours. */
const PATIENCE_MS = isLong ? 14_400_000 : 120_000

/** Tests of whole systems: commands that are killed, paused and left without disk, workers, a browser. `npm test` leaves them out. */
const SYSTEM = WHOLE_SYSTEMS.map((folder) => `${folder}/**/*.test.ts`)

/** Files that measure how long something takes. */
const ALONE = ['test/expressions/limits.attack.test.ts', 'test/policy/personal-data.test.ts']

/** The folder for temporary files. In memory, if there is room: nothing of a test has to survive the machine. */
function temporaryFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2 * 1024 ** 3 ? memory : tmpdir()
}

// The processes of the tests inherit both. Without the second, one that is killed leaves no compiled code for the next.
process.env.TMPDIR = temporaryFolder()
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Started from their source, they cost two to three times the processor time: 0.4 s for DuckDB, 0.2 s for the thread.
const BUILT = {
  BUILT_SANDBOX: resolve(import.meta.dirname, 'dist/sandbox-process.js'),
  BUILT_READER: resolve(import.meta.dirname, 'dist/read-worker.js'),
}
if (isFreshBuild()) Object.assign(process.env, BUILT)

/** The files that name the program of a process or a thread, how they do so, and how they do in a process of Vitest. */
const PROGRAMS = [
  ['/src/lists/start-sandbox.ts', "'./sandbox-process.ts'", "process.env.BUILT_SANDBOX ?? './sandbox-process.ts'"],
  ['/src/app/read-thread.ts', "'./read-worker.ts'", "process.env.BUILT_READER ?? './read-worker.ts'"],
] as const

/** Lets tests start them from `dist/`. The choice is not part of the text, which Vitest keeps. */
const builtPrograms = {
  name: 'built-programs',
  enforce: 'pre',
  transform(code: string, id: string) {
    const [, named, asked] = PROGRAMS.find(([file]) => id.endsWith(file)) ?? []
    if (named === undefined) return undefined
    if (!code.includes(named)) throw new Error(`${id} does not name its program as before`)
    return code.replace(named, () => `(${asked})`)
  },
} as const

export default defineConfig({
  plugins: [builtPrograms],
  test: {
    // Only what hangs takes so long. The slowest test takes a third of it, and a busy machine doubles that.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS - 20_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/keep-compiled.ts'],
    pool: 'forks',
    // Tests often wait, and each worker loads the code once more: on two cores, `npm test` takes 166 s with 4 workers and 193
    // with 3; on a slower day 235 with 3 and 254 with 5.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Files share processes: starting one for each, and loading the code again, was 40 % of their processor time. So a file
    // leaves nothing behind: no timer, no handler, no variable of the environment. Whole systems are in the same project,
    // because no process takes files of two.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: process.env.LEAVE_OUT === 'system' ? [...ALONE, ...SYSTEM] : ALONE,
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
