import { relative, resolve } from 'node:path'
import { expect } from 'vitest'

// Processes that the test file starts report the name of the file, too.
process.env.MUTANTS_TEST_FILE = relative(resolve(import.meta.dirname, '../..'), expect.getState().testPath ?? '')
