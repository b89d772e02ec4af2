import { existsSync, statfsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isLong } from './test/support/is-long.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { included, isBrief, isIncluded, leftOut } from './test/support/test-groups.ts'

/** How long a test may take. In its long form it may take hours. */
const PATIENCE_MS = isLong ? 14_400_000 : 120_000

/** Files that measure how long something takes. */
const ALONE = ['test/expressions/limits.attack.test.ts', 'test/policy/personal-data.test.ts']

/** What the processes of tests load before Vitest. */
const LOADED_FIRST = [
  ...['end-stuck', 'keep-compiled', 'built-programs'],
  ...(process.argv.includes('run') ? ['untold-imports'] : []),
].map((name) => join(import.meta.dirname, `test/support/${name}.ts`))

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

export default defineConfig({
  test: {
    // Only what hangs takes so long. The slowest test takes 35 s on a quiet machine, and two busy loops beside it double
    // that. So no test and no poll has a shorter limit of its own.
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS - 20_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Node loads the files as they are, without Vite: 7 % less processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests leave much garbage. Where the young have room, less of it is moved: 8 % less processor time in test/steps.
    execArgv: ['--max-semi-space-size=64', ...LOADED_FIRST.flatMap((file) => ['--import', file])],
    // Tests often wait, and each worker loads the code once more. On two cores, all tests take 729 s with 5 workers and 779
    // with 4. Without whole systems they take 229 s with 6, 235 with 5 and 256 with 4.
    maxWorkers: isBrief ? 6 : 5,
    sequence: { sequencer: LongestFirst },
    // Files share processes: starting one for each, and loading the code again, was 40 % of their processor time. So a file
    // leaves nothing behind: no timer, no handler, no variable of the environment. Whole systems are in the same project,
    // because no process takes files of two.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: included,
          exclude: [...ALONE, ...leftOut],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE.filter(isIncluded), exclude: leftOut } },
    ],
  },
})
