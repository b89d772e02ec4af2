import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

// The tests of a mutant are ended if they hang; what they leave is in this folder.
process.env.TMPDIR = process.env.MUTANTS_TEMPORARY

export default mergeConfig(
  base,
  defineConfig({
    root: join(import.meta.dirname, '../..'),
    test: {
      setupFiles: ['test/mutants/name-test-file.ts'],
      // What runs beside has a Vitest of its own: the first that fails ends the others.
      maxWorkers: 1,
      // What hangs has noticed, and need not take a quarter of an hour for it.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
    },
  }),
)
