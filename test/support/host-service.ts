import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { openEmbeddedService } from '../../src/app/open-embedded-service.ts'
import type { ReadyService } from './audience.ts'
import { givePeople } from './people.ts'

/**
 * The service of a state, in this process. A process of its own (`spawnService`) takes several times the processor time,
 * and is needed only where it is killed.
 */
export async function hostService(
  state: string,
): Promise<{ readonly service: ReadyService; readonly stop: () => Promise<void> }> {
  await givePeople(state)
  const hosted = await openEmbeddedService({ folder: join(state, 'service'), log: pino({ level: 'silent' }) })
  return { service: hosted.endpoint, stop: hosted.close }
}

/** The same, ended with the test. */
export async function startService(state: string): Promise<ReadyService> {
  const { service, stop } = await hostService(state)
  onTestFinished(stop)
  return service
}
