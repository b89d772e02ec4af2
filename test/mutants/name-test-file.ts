import { relative, resolve } from 'node:path'
import { expect } from 'vitest'

// Processes that this file starts report it, too.
process.env.MUTANTS_TEST_FILE = relative(resolve(import.meta.dirname, '../..'), expect.getState().testPath ?? '')
