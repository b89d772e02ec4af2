import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

// The tests of a mutant are ended if they hang; their leftovers are in this folder.
process.env.TMPDIR = process.env.MUTANTS_TEMPORARY

export default mergeConfig(
  base,
  defineConfig({
    root: join(import.meta.dirname, '../..'),
    test: {
      setupFiles: ['test/mutants/name-test-file.ts'],
      // Parallel runs have their own Vitest: the first one that fails ends the others.
      maxWorkers: 1,
      // A test that hangs has noticed the mutant, and need not run for a quarter of an hour.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
    },
  }),
)
