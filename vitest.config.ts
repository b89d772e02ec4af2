import { existsSync, statfsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that measure how long something takes. */
const ALONE = ['test/expressions/limits.test.ts', 'test/policy/personal-data.test.ts']

/** The files that take longest, longest first. The others fill the time beside them. */
const LONGEST = [
  'console/browser/acts',
  'e2e/nights',
  'e2e/daemon',
  'console/browser/pages',
  'console/browser/limits',
  'e2e/kill',
  'conformance/conformance',
  'e2e/trouble',
  'soak/soak',
  'soak/workers',
  'examples/examples',
  'engine/distributed/engine',
  'e2e/both-stores',
  'console/browser/dialogs',
  'console/browser/live',
  'engine/distributed/dead-workers',
  'e2e/package',
  'e2e/commands',
  'engine/distributed/guards',
  'e2e/database',
  'engine/distributed/workers',
  'e2e/prepare-kill',
  'e2e/paused-owner',
  'steps/writes',
  'console/security',
  'console/browser/run-form',
  'e2e/runs',
  'steps/ensure',
  'console/api-workers',
  'console/events',
  'cli/privacy-check',
  'other-service/lost-answers',
  'triggers/watch/start-watcher',
  'e2e/prepare-canary',
  'console/api',
  'service/crash',
  'service/matching/match-engine.law',
].map((name) => join(import.meta.dirname, 'test', `${name}.test.ts`))

/** Without it a fresh checkout, which knows no durations, begins with the files that have most text. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      // Between files that share processes they would end these.
      if (project.config.isolate) return -1
      return LONGEST.includes(moduleId) ? LONGEST.indexOf(moduleId) : LONGEST.length
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

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
    // A machine that is busy with other things fails no test: these are for what hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/keep-compiled.ts'],
    pool: 'forks',
    // Many tests wait for processes of their own: one worker a core leaves the machine idle. Each further
    // worker loads the code and the browser once more: 239 s with 5 workers on two cores, 253 with 6, 259 with 7.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // Files share processes: starting one for each, and loading the code again, was 40 % of their processor time. So a file
    // leaves nothing behind: no timer, no handler, no variable of the environment.
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
