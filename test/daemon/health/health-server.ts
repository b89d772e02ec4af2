import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type HealthServerOptions, startHealthServer } from '../../../src/daemon/health/start-health-server.ts'
import { systemClock } from '../../../src/platform/clock.ts'

export const LOAD = { runs: 2, waits: 3 }
export const STUCK = ['r7']

/** A health server that ends with the test. */
export async function server(own: Partial<HealthServerOptions> = {}) {
  const started = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    health: { stalled: () => [], load: () => LOAD, stuck: () => STUCK, checks: {} },
    metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', text: async () => 'a 1\n' },
    clock: systemClock,
    log: pino({ level: 'silent' }),
    redact: (text) => text.replaceAll('s3cret', '***'),
    ...own,
  })
  onTestFinished(() => started.close())
  return started
}
