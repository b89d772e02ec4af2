import { defineConfig } from 'vitest/config'

/**
 * Files of these folders share processes: starting one for each, and loading the code again, was 40 % of their processor
 * time. So such a file leaves nothing behind: no timer, no handler, no variable of the environment.
 */
const SHARED = [
  'test/*.test.ts',
  ...[
    'adapter',
    'app',
    'cli',
    'config',
    'core',
    'daemon',
    'generate',
    'notifications',
    'pipeline',
    'platform',
    'runs',
    'status',
    'steps',
  ].map((folder) => `test/${folder}/**/*.test.ts`),
  'test/expressions/**/!(limits).test.ts',
  'test/triggers/schedule/**/*.test.ts',
]

export default defineConfig({
  test: {
    // A machine that is busy with other things fails no test: these are for what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Many tests wait for processes of their own: one worker a core leaves the machine idle.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: SHARED } },
    ],
  },
})
