import { join, relative } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../../vitest.config.ts'

const root = join(import.meta.dirname, '../..')

// The tests of a mutant are ended if they hang; what they leave is in this folder.
process.env.TMPDIR = process.env.MUTANTS_TEMPORARY

/** As the command names them: what is most likely to notice comes first. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => process.argv.indexOf(relative(root, moduleId))
    return files.sort((a, b) => place(a) - place(b))
  }
}

export default mergeConfig(
  base,
  defineConfig({
    root,
    test: {
      setupFiles: ['test/mutants/name-test-file.ts'],
      maxWorkers: 2,
      // What hangs has noticed, and need not take a quarter of an hour for it.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      sequence: { sequencer: AsNamed },
    },
  }),
)
