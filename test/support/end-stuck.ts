import { Worker } from 'node:worker_threads'
import { isLong } from './is-long.ts'

// Vitest cannot end a test that never gives its thread back: the timer of the limit needs that thread. So a second
// thread of each process of tests counts seconds. If the first thread runs no timer for two minutes, it ends the
// process, and Vitest names the file. It counts its own turns and reads no clock: in a process that is paused, both
// threads stand still. The long form may compute for hours. This file is loaded before Vitest.

const COUNT = `
const { turns, most } = require('node:worker_threads').workerData
let seen = 0
let seconds = 0
setInterval(() => {
  const now = Atomics.load(turns, 0)
  seconds = now === seen ? seconds + 1 : 0
  seen = now
  if (seconds < most) return
  require('node:fs').writeSync(2, \`A test has blocked its thread for \${most} seconds, so its process is ended.\\n\`)
  process.kill(process.pid, 'SIGKILL')
}, 1000)
`

/** The programs that tests start load this file, too, but the tests that wait for them have a limit that works. */
const isProcessOfTests = process.argv[1]?.endsWith('/workers/forks.js') ?? false

if (isProcessOfTests && !isLong) {
  const turns = new Int32Array(new SharedArrayBuffer(4))
  const most = Number(process.env.STUCK_AFTER_SECONDS ?? 120)
  new Worker(COUNT, { eval: true, execArgv: [], workerData: { turns, most } }).unref()
  setInterval(() => Atomics.add(turns, 0, 1), 500).unref()
}
