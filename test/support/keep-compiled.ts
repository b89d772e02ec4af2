import { flushCompileCache } from 'node:module'
import { afterAll } from 'vitest'

/** Vitest ends the processes of tests before they would do this by themselves. */
afterAll(() => flushCompileCache())
