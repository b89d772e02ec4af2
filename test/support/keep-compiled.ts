import { flushCompileCache } from 'node:module'

// Vitest ends the processes of tests before they would write their compiled code by themselves.
setInterval(flushCompileCache, 5000).unref()
