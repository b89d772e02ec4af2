/** A service in a process of its own, to be killed: `node service-process.ts DATA_DIR`. Prints where it answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { systemClock } from '../../../src/clock.ts'
import { startService } from '../../../src/service/start-service.ts'
import { createFakeEngine } from './fake-engine.ts'
import { testNetwork } from './test-network.ts'

const { url, token } = await startService({
  dataDir: process.argv[2] ?? '',
  network: testNetwork,
  clock: systemClock,
  log: pino({ level: 'silent' }),
  engine: createFakeEngine({ beforeWork: () => sleep(20) }),
})
process.stdout.write(`${JSON.stringify({ url, token })}\n`)
