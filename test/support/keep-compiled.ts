import { flushCompileCache } from 'node:module'
import { afterAll } from 'vitest'

/** Processes of tests are ended before they would do this by themselves. */
afterAll(() => flushCompileCache())
