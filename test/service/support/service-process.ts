/** A service in its own process, which can be killed: `node service-process.ts DATA_DIR`. Prints its address. */
import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { systemClock } from '../../../src/platform/clock.ts'
import { startService } from '../../../src/service/start-service.ts'
import { testNetwork } from './test-network.ts'

const { url, token, control } = await startService({
  dataDir: process.argv[2] ?? '',
  network: testNetwork,
  clock: systemClock,
  log: pino({ level: 'error' }, pino.destination({ dest: 2, sync: true })),
})
process.stdout.write(`${JSON.stringify({ url, token, control })}\n`)
// The process will be killed, and the next one starts faster.
flushCompileCache()
